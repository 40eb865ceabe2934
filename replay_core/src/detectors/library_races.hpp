// Races of libraries, which nobody who uses them can mend.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery::detail {

/// A note for the report of a race with accesses at these program counters, if one lies in a
/// function that is known for that; empty: none does.
[[nodiscard]] std::string library_race_note(Symbolizer& symbolizer,
                                            std::span<const std::uintptr_t> counters);

/// The function that such a note is about; empty: it is another note.
[[nodiscard]] std::string_view function_in_library_note(std::string_view note);

}  // namespace orrery::detail
