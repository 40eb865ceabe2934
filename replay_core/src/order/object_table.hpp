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
    if (__builtin_expect(slot.value != nullptr, 1)) return *slot.value;
    Value& made = values_.emplace_back();
    slot = {key, &made};
    if (values_.size() * 2 > slots_.size()) grow();
    return made;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value* value = nullptr;  ///< null: the slot is free
  };
  static constexpr std::size_t slots_min = 64;  // a power of two

  Slot& slot_of(std::uint64_t key) {
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (key * golden >> 32U) & mask;
    while (slots_[i].key != key && slots_[i].value != nullptr) i = (i + 1) & mask;
    return slots_[i];
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& one : old) {
      if (one.value != nullptr) slot_of(one.key) = one;
    }
  }

  std::deque<Value> values_;
  std::vector<Slot> slots_;
};

}  // namespace orrery::detail
