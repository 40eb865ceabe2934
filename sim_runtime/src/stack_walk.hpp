// The return addresses of a stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace orrery::detail {

/// The calling stack, as far as unwind tables describe it.
class StackWalk {
 public:
  static constexpr std::size_t frames_max = 96;

  /// Walks the stack of the caller; the frame of `take` itself is left out.  Allocates nothing.
  void take();
  /// Return addresses, the innermost first.
  [[nodiscard]] std::span<const std::uintptr_t> addresses() const {
    return {frames_.data(), count_};
  }

 private:
  void add(std::uintptr_t address) { frames_[count_++] = address; }

  std::array<std::uintptr_t, frames_max> frames_;
  std::size_t count_ = 0;
};

}  // namespace orrery::detail
