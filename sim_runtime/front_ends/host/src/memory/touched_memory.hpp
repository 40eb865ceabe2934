// Which memory has more than one task touched?
#pragma once

#include <cstddef>
#include <cstdint>

#include <orrery/sim_runtime/run_words.hpp>

namespace orrery::host {

/// For each eight bytes of memory the task that has touched them, or that several have.
class TouchedMemory {
 public:
  /// Notes that `task` (not 0) touches it; true if another one had done so before.  `is_static()`,
  /// asked of what nobody has touched: is it nobody's, as static variables are?
  template <typename IsStatic>
  bool touch(std::uintptr_t address, std::size_t bytes, std::uint32_t task,
             const IsStatic& is_static) {
    bool is_shared = false;
    const std::uintptr_t end = address + bytes;
    for (address -= address % granule_bytes; address < end; address += granule_bytes) {
      std::uint32_t& toucher = touchers_.at(address);
      if (toucher == task) continue;
      const bool is_first = toucher == 0 && !is_static();
      is_shared |= !is_first;
      toucher = is_first ? task : several;
    }
    return is_shared;
  }
  /// It is the task's from now on, as if it had touched it.
  void give(std::uintptr_t address, std::size_t bytes, std::uint32_t task);
  /// It holds something else from now on.
  void forget(std::uintptr_t begin, std::uintptr_t end);
  void clear() { touchers_.clear(); }

 private:
  static constexpr std::size_t granule_bytes = 8;
  static constexpr std::uint32_t several = UINT32_MAX;

  detail::RunWords<std::uint32_t> touchers_;
};

}  // namespace orrery::host
