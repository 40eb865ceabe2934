// AddressSanitizer's runtime library, where a program was built with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace orrery {

/// The library that a program of `-fsanitize=address` leans on.  It watches memory from the start
/// of a process: a process that will host the program must have it loaded before all else.
struct SanitizerRuntime {
  std::string name;            ///< as the program names it: `libasan.so.8`
  std::filesystem::path path;  ///< as LD_PRELOAD takes it: in a directory that the program names
                               ///< (DT_RUNPATH), else the name alone

  /// Is it loaded in this process?
  [[nodiscard]] bool is_loaded() const;
};

/// What the program at `path` needs; nothing if it was built without AddressSanitizer, and for a
/// file that is no program (`ProgramImage` says what it is instead).  Throws `UsageError` for a
/// program that has the runtime within itself: each rank's copy would bring its own.
[[nodiscard]] std::optional<SanitizerRuntime> sanitizer_runtime_of(
    const std::filesystem::path& path);

/// Is there any runtime of AddressSanitizer's in this process?
[[nodiscard]] bool has_sanitizer_runtime();

}  // namespace orrery
