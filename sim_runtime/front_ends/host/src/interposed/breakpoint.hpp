// Stops a program where it first enters a function.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "programs/program_copy.hpp"

namespace orrery::host {

/// A trap at the beginning of a function, in every copy of the program.  One may be set at a time:
/// a signal handler has no other way to learn of it.
class Breakpoint {
 public:
  /// Each place gets back what it had when one is reached, or with the breakpoint's end.
  /// `reached` is called within the handler of SIGTRAP, before the function's first instruction,
  /// and may allocate: no code of the host is being interrupted.
  Breakpoint(std::vector<std::byte*> places, std::function<void()> reached);
  ~Breakpoint();
  Breakpoint(const Breakpoint&) = delete;
  Breakpoint& operator=(const Breakpoint&) = delete;

 private:
  struct Trap {
    std::byte* place;
    std::byte replaced;
  };
  static bool filter(int signal, void* info, void* context);
  [[nodiscard]] bool is_reached(void* context) const;
  void remove();

  std::vector<Trap> traps_;
  std::function<void()> reached_;
};

}  // namespace orrery::host
