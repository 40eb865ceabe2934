// Where in the user's program an operation stands.
#pragma once

#include <cstdint>

namespace orrery {

/// A place in a source file, or a program counter that is turned into one when it is printed.
/// A type of our own, because clang 14 has no `std::source_location`.  `file` and `function` have
/// static storage.
struct SourceLocation {
  const char* file = nullptr;  ///< null: not known, see `program_counter`
  const char* function = nullptr;
  std::uint32_t line = 0;
  std::uintptr_t program_counter = 0;  ///< a return address, where only that is known; else 0

  /// The place of the call, when used as a default argument.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          const char* function = __builtin_FUNCTION(),
                                          std::uint32_t line = __builtin_LINE()) {
    return {file, function, line, 0};
  }
  /// The place that a front end knows by its return address only.
  static constexpr SourceLocation at(std::uintptr_t program_counter) {
    return {nullptr, nullptr, 0, program_counter};
  }
};

}  // namespace orrery
