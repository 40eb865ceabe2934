// A cache of bounded size: many readers, entries that get old, the unused ones leave first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <shared_mutex>

namespace cache {

class BoundedCache {
 public:
  using Clock = std::chrono::steady_clock;

  BoundedCache(std::size_t capacity, Clock::duration lifetime)
      : capacity_(capacity), lifetime_(lifetime) {}

  [[nodiscard]] std::optional<long> find(int key);
  // Keeps the value, if need be in the place of another.
  void insert(int key, long value);
  // Drops what is too old; gives up if readers are there all the time.
  void sweep();

  [[nodiscard]] long hits() const { return hits_.load(); }
  [[nodiscard]] long misses() const { return misses_.load(); }
  [[nodiscard]] long dropped() const { return dropped_.load(); }
  // More entries than there may be, at any time.
  [[nodiscard]] bool overflowed() const { return overflowed_.load(); }

 private:
  struct Entry {
    long value = 0;
    Clock::time_point until;
    std::atomic<bool> used{false};  // since the last eviction passed by; readers set it together
  };

  void evict_one();

  std::size_t capacity_;
  Clock::duration lifetime_;
  std::shared_timed_mutex mutex_;
  std::map<int, Entry> entries_;
  int hand_ = 0;  // where the next eviction begins to look
  std::atomic<long> hits_{0};
  std::atomic<long> misses_{0};
  std::atomic<long> dropped_{0};
  std::atomic<bool> overflowed_{false};
};

}  // namespace cache
