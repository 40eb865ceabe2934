// The work-stealing deque of Chase and Lev (SPAA 2005), of fixed size: its owner pushes and takes
// at the bottom, everybody else steals at the top.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace steal {

template <typename Item>
class Deque {
 public:
  explicit Deque(std::size_t capacity)
      : capacity_(static_cast<std::int64_t>(capacity)),
        items_(std::make_unique<std::atomic<Item*>[]>(capacity)) {}

  // Only the owner.
  void push(Item* item) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::int64_t top = top_.load(std::memory_order_acquire);
    if (bottom - top >= capacity_) {
      std::fprintf(stderr, "steal: a deque is full\n");
      std::exit(2);
    }
    slot(bottom).store(item, std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  // Only the owner; null if there is nothing.
  Item* take() {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // Both in the one order of all seq_cst operations: else owner and thief miss each other.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    Item* item = slot(bottom).load(std::memory_order_relaxed);
    if (top == bottom) {
      // The last one: a thief may want it, too.
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) item = nullptr;
      bottom_.store(bottom + 1, std::memory_order_relaxed);
    }
    return item;
  }

  // Anybody; null if there is nothing.
  Item* steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
#ifdef BUG
    Item* item = slot(top).load(std::memory_order_acquire);  // BUG: stale, if the exchange fails
#endif
    while (top < bottom_.load(std::memory_order_seq_cst)) {
#ifndef BUG
      Item* item = slot(top).load(std::memory_order_acquire);
#endif
      // A failed exchange leaves the new top in `top`.
      if (top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) return item;
    }
    return nullptr;
  }

 private:
  std::atomic<Item*>& slot(std::int64_t index) const {
    return items_[static_cast<std::size_t>(index % capacity_)];
  }

  std::int64_t capacity_;
  std::unique_ptr<std::atomic<Item*>[]> items_;
  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
};

}  // namespace steal
