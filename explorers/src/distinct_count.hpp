// How many different numbers were seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::detail {

/// A set of 64-bit hashes that only grows, up to a bound: open addressing with linear probing, at
/// most half full.  The hashes are taken as well mixed.
class DistinctCount {
 public:
  explicit DistinctCount(std::size_t most = std::size_t{1} << 24U) : most_(most), slots_(1024) {}

  void add(std::uint64_t hash) {
    if (hash == 0) hash = 1;  // 0 marks an empty slot
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != 0) {
      if (slots_[slot] == hash) return;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    if (count_ >= most_) {
      is_exact_ = false;
      return;
    }
    slots_[slot] = hash;
    if (++count_ * 2 > slots_.size()) grow();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// False once a number had to be left out: there are at least `count`.
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  /// What was seen, in no meaningful order.
  [[nodiscard]] std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> values;
    values.reserve(count_);
    for (const std::uint64_t hash : slots_) {
      if (hash != 0) values.push_back(hash);
    }
    return values;
  }

 private:
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (const std::uint64_t hash : old) {
      if (hash != 0) add(hash);
    }
  }

  std::size_t most_;
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
  bool is_exact_ = true;
};

}  // namespace orrery::detail
