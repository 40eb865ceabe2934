// Something for each object of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// Made when it is first asked for, and found at once: every operation looks one up.  Values stay
/// where they are.
template <typename Value>
class ObjectTable {
 public:
  ObjectTable() { clear(); }
  void clear() {
    values_.clear();
    slots_.assign(slots_min, Slot{});
  }
  Value& at(ObjectId object) {
    const std::uint64_t key = object.packed();
    Slot& slot = slot_of(key);
    if (slot.place != 0) return values_[slot.place - 1];
    values_.emplace_back();
    slot = {key, static_cast<std::uint32_t>(values_.size())};
    if (values_.size() * 2 > slots_.size()) grow();
    return values_.back();
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t place = 0;  ///< among the values, from 1 on; 0: free
  };
  static constexpr std::size_t slots_min = 64;  // a power of two

  Slot& slot_of(std::uint64_t key) {
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    std::size_t i = (key * golden >> 32U) & (slots_.size() - 1);
    while (slots_[i].place != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& one : old) {
      if (one.place != 0) slot_of(one.key) = one;
    }
  }

  std::deque<Value> values_;
  std::vector<Slot> slots_;
};

}  // namespace orrery::detail
