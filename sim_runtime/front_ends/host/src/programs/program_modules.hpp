// Whose code is it?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

struct dl_phdr_info;

namespace orrery::host {

/// The files that were loaded before any program was: the command, the C library, the loader, and
/// what else the command needs.  What they allocate while they serve a program may live longer
/// than the run (a time zone, a locale, a stream), so it must not be the program's.
///
/// The C++ library is not among them: it allocates on behalf of its caller.  In a process that was
/// taken over, where all was loaded at once, `ModuleOwners` says which they are.
class ProgramModules {
 public:
  /// Takes stock, once: later calls change nothing.
  void note_own();
  /// Is it the program, or a library of the program's alone?  The C++ library is common to all.
  [[nodiscard]] bool came_with_program(const dl_phdr_info& module) const;
  /// Does the address lie in such a one?
  [[nodiscard]] bool came_with_program(std::uintptr_t address) const;
  /// From now on all code counts as the host's: programs get no memory of their own.
  void take_all();
  /// Does the address lie in code that came with a program (or in the C++ library)?
  [[nodiscard]] bool are_programs(std::uintptr_t address) const {
    if (address - hull_.begin >= hull_.end - hull_.begin) return true;
    return !is_own(address);
  }

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  static constexpr std::size_t ranges_max = 256;
  [[nodiscard]] bool is_own(std::uintptr_t address) const;
  void add(Range range);

  std::array<Range, ranges_max> ranges_{};  // in order
  std::size_t count_ = 0;
  Range hull_;
};

/// Those of this process.
extern constinit ProgramModules program_modules;

}  // namespace orrery::host
