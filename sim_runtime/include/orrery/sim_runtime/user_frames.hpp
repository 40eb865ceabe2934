// The program's own part of a stack.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery {

/// Of a stack, given by its return addresses with the innermost first, the functions that the
/// program's author wrote, with those that were inlined: what belongs to the system's libraries, to
/// their headers and to Orrery is left out.  `program_counter`, where not 0, is that of an
/// instruction within the innermost function (of a fault).  Where only one function is known
/// without its line, it is in the list all the same: stripped programs give names or addresses.
///
///     const auto frames = orrery::user_frames(symbolizer, addresses);
///     if (!frames.empty()) print(frames.front().file, frames.front().line);
[[nodiscard]] std::vector<SourceFrame> user_frames(Symbolizer& symbolizer,
                                                   std::span<const std::uintptr_t> addresses,
                                                   std::uintptr_t program_counter = 0);

/// The same of calls, not return addresses, in a file that need not be loaded, and is called
/// `name`.
[[nodiscard]] std::vector<SourceFrame> user_frames_in(const std::string& path,
                                                      const std::string& name,
                                                      std::span<const std::uint64_t> calls);

/// What a thread is called that begins in this function and has no name: `worker`, or `thread`
/// where the function is a library's.
[[nodiscard]] std::string thread_name(Symbolizer& symbolizer, std::uintptr_t start_function);

}  // namespace orrery
