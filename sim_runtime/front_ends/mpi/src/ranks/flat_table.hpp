// A hash table in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::mpi {

/// A table that only grows, until all of it is cleared: open addressing with linear probing, at
/// most half full.  A `Key` has `hash()`, whose high bits are well mixed, and `==`.
template <typename Key, typename Value>
class FlatTable {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Null if it is not there; valid until the next `insert`.
  [[nodiscard]] const Value* find(const Key& key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[slot_of(key)];
    return slot.is_used ? &slot.value : nullptr;
  }

  /// `key` must not be there.
  const Value& insert(const Key& key, Value value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(key)];
    slot = {key, std::move(value), true};
    ++size_;
    return slot.value;
  }

  /// Gives the memory back, too.
  void clear() {
    slots_ = {};
    size_ = 0;
  }

 private:
  struct Slot {
    Key key{};
    Value value{};
    bool is_used = false;
  };

  // Where it is, or would be put.
  [[nodiscard]] std::size_t slot_of(const Key& key) const {
    std::size_t slot = key.hash() >> shift_;
    while (slots_[slot].is_used && !(slots_[slot].key == key))
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    constexpr unsigned first_bits = 5;
    shift_ = slots_.empty() ? 64 - first_bits : shift_ - 1;
    std::vector<Slot> old(std::size_t{1} << (64 - shift_));
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.is_used) slots_[slot_of(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  unsigned shift_ = 0;  // of a hash: what is left is a slot's number
};

}  // namespace orrery::mpi
