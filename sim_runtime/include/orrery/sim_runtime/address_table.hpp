// Something for every part of a process's memory, found by its address at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::detail {

/// Memory that is zero, and takes up room only where it is touched.
class LazyMemory {
 public:
  LazyMemory() = default;
  /// Throws `UsageError` if the system has no such range of addresses.
  explicit LazyMemory(std::size_t bytes);
  ~LazyMemory();
  LazyMemory(LazyMemory&& other) noexcept;
  LazyMemory& operator=(LazyMemory&& other) noexcept;
  LazyMemory(const LazyMemory&) = delete;
  LazyMemory& operator=(const LazyMemory&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  /// Much of it will be touched: the system may take larger pages for the rest, which need fewer
  /// faults.  Where little is touched they would cost more.
  void expect_much() const;
  /// Makes it larger; what it holds stays, maybe in another place.
  void grow(std::size_t bytes);

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A `Leaf` for each 16 MB of memory, made when it is first needed: two loads lead to it.  All bits
/// zero must be a leaf's beginning; it has no destructor.
///
///     struct Leaf { std::uint32_t words[(1 << 24) / 8]; };
///     AddressTable<Leaf> table;
///     ++table.at(address).words[address % table.leaf_bytes / 8];
template <typename Leaf>
class AddressTable {
 public:
  static constexpr unsigned leaf_log2 = 24;
  static constexpr std::uint64_t leaf_bytes = std::uint64_t{1} << leaf_log2;
  static constexpr unsigned address_bits = 47;  ///< of programs, on x86-64
  static constexpr std::size_t leaf_count = std::size_t{1} << (address_bits - leaf_log2);

  /// Null: there is none yet.  Addresses that no program has share the leaves of others.
  [[nodiscard]] Leaf* find(std::uintptr_t address) const {
    return static_cast<Leaf**>(directory_.data())[address >> leaf_log2 & (leaf_count - 1)];
  }
  Leaf& at(std::uintptr_t address) {
    Leaf* const leaf = find(address);
    return leaf != nullptr ? *leaf : make(address);
  }
  /// The leaves by number: what `find` looks at.
  [[nodiscard]] Leaf* const* directory() const { return static_cast<Leaf**>(directory_.data()); }

  /// As `LazyMemory::expect_much`, of one leaf.
  void expect_much(std::uintptr_t address) {
    for (const Made& one : made_) {
      if (one.address == begin_of(address)) one.memory.expect_much();
    }
  }
  /// Calls `function(address, leaf)` for each, in the order in which they were made.
  template <typename Function>
  void for_each(const Function& function) {
    for (const Made& one : made_) function(one.address, *static_cast<Leaf*>(one.memory.data()));
  }
  void clear() {
    for (const Made& one : made_) slot(one.address) = nullptr;
    made_.clear();
  }

 private:
  struct Made {
    std::uintptr_t address;  ///< where its part of the memory begins
    LazyMemory memory;
  };
  static constexpr std::uintptr_t begin_of(std::uintptr_t address) {
    return address & (leaf_count - 1) << leaf_log2;
  }
  Leaf*& slot(std::uintptr_t address) {
    return static_cast<Leaf**>(directory_.data())[address >> leaf_log2 & (leaf_count - 1)];
  }
  [[gnu::noinline]] Leaf& make(std::uintptr_t address) {
    const std::uintptr_t begin = begin_of(address);
    made_.push_back({begin, LazyMemory(sizeof(Leaf))});
    slot(begin) = static_cast<Leaf*>(made_.back().memory.data());
    return *slot(begin);
  }

  LazyMemory directory_{leaf_count * sizeof(Leaf*)};
  std::vector<Made> made_;
};

}  // namespace orrery::detail
