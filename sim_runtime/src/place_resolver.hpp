// From a return address to a line of source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery::detail {

/// Does the file belong to the system rather than to the user?
[[nodiscard]] inline bool is_library_file(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("/lib/");
}

/// File, line and function of the call that returns to `program_counter`: the innermost frame that
/// is the user's own, if there is one.
[[nodiscard]] FindingPlace resolve_place(std::uintptr_t program_counter);

/// Gives a place the stack that led there.  Where the place itself is in a library's code, the line
/// of the program that called it takes its place.
void add_stack(FindingPlace& place, std::vector<SourceFrame> stack);

/// The global variable at an address, as `Symbolizer::variable` names it.
[[nodiscard]] std::string resolve_variable(std::uintptr_t address);

/// The program's own functions on a stack, as `user_frames` finds them.
[[nodiscard]] std::vector<SourceFrame> resolve_stack(std::span<const std::uintptr_t> addresses);

/// As `thread_name`, kept from one time to the next.
[[nodiscard]] std::string resolve_thread_name(std::uintptr_t start_function);

}  // namespace orrery::detail
