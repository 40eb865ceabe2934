// Which function was called from where, a short while ago.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::mpi {

/// The functions that a rank's threads called last, by the place of the call: so that a report can
/// name the one that a thread has not come back from.  Noting one costs two words.
class RecentCalls {
 public:
  void note(std::uintptr_t pc, const char* name) { calls_[slot_of(pc)] = {pc, name}; }
  /// Null if others came since.
  [[nodiscard]] const char* name_at(std::uintptr_t pc) const {
    const One& one = calls_[slot_of(pc)];
    return one.pc == pc ? one.name : nullptr;
  }

 private:
  struct One {
    std::uintptr_t pc = 0;
    const char* name = nullptr;
  };
  // Places of the same program differ in their low bits.
  [[nodiscard]] static std::size_t slot_of(std::uintptr_t pc) { return (pc ^ pc >> 4U) % 8; }
  std::array<One, 8> calls_;
};

}  // namespace orrery::mpi
