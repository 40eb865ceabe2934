// The copies that programs hold of the symbols behind predefined handles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "handles.hpp"

namespace orrery::mpi {

/// Which predefined handle is at which address of a program's image: what was once read there by
/// way of the kernel need not be read again, since such copies stay as long as their image.
class SymbolCopies {
 public:
  struct Copy {
    const void* address = nullptr;
    HandleKind kind = HandleKind::none;
    std::uint32_t index = 0;
  };
  /// Null: not known to be one.
  [[nodiscard]] const Copy* find(const void* address) const {
    const Copy& copy = copies_.at(slot_of(address));
    return copy.address == address ? &copy : nullptr;
  }
  void remember(const Copy& copy) { copies_.at(slot_of(copy.address)) = copy; }

 private:
  // Two that meet in a slot take turns in it.
  static constexpr std::size_t slots = 256;
  static std::size_t slot_of(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U) >> 56U;
  }
  static_assert(slots == std::size_t{1} << (64U - 56U));
  std::array<Copy, slots> copies_{};
};

}  // namespace orrery::mpi
