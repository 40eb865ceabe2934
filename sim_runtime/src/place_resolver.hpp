// From a return address to a line of source.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery::detail {

/// File, line and function of the call that returns to `program_counter`.
[[nodiscard]] FindingPlace resolve_place(std::uintptr_t program_counter);

}  // namespace orrery::detail
