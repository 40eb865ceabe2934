// Where a process has a file loaded, as plain data that may outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery {

/// A loaded file, and by what another process knows it again.
struct ObjectPlace {
  static constexpr std::size_t identity_bytes_max = 64;

  std::uintptr_t base = 0;   ///< what was added to the addresses in the file
  std::uintptr_t begin = 0;  ///< of what is in memory
  std::uintptr_t end = 0;    ///< behind it
  /// Its build id, or the end of its path where it has none.
  std::array<char, identity_bytes_max> identity{};
  std::uint32_t identity_bytes = 0;

  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return address >= begin && address < end;
  }
};

}  // namespace orrery
