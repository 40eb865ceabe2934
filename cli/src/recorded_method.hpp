// How a command is recorded on the real machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::cli {

/// What is recorded of a command: which library is preloaded, and what its log holds.
struct RecordedMethod {
  std::string_view name;  ///< as `orrery list recorders` has it
  bool is_of_threads = false;
  bool follows_memory = false;  ///< by the program's second image, which `orrery cc` has made
  std::optional<std::string> protected_list = {};  ///< a file: see `ProtectedAccesses`
  std::optional<std::string> groups = {};          ///< as `MemoryGroups::of` reads it
  bool keeps_objects = false;                      ///< also who was the last one at an object
};

/// The method that was asked for; else `wildcards` for a launcher of MPI jobs or a program that is
/// linked with an MPI library, and `lamport-order` for all others.  Throws `UsageError` for one
/// that there is not, or that cannot record real runs.
[[nodiscard]] RecordedMethod recorded_method(const std::optional<std::string>& asked_for,
                                             const std::string& command);

/// What may be asked for: `wildcards (of MPI jobs); lamport-order, ... (of threads)`.
[[nodiscard]] std::string recorded_methods_text();

}  // namespace orrery::cli
