#include "bounded_cache.hpp"

#include <mutex>

namespace cache {

std::optional<long> BoundedCache::find(int key) {
  const std::shared_lock<std::shared_timed_mutex> lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.until < Clock::now()) {
    misses_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  found->second.used.store(true, std::memory_order_relaxed);
  hits_.fetch_add(1, std::memory_order_relaxed);
  return found->second.value;
}

// The clock algorithm: the hand goes round and takes the first that was not used since it passed.
void BoundedCache::evict_one() {
  auto entry = entries_.lower_bound(hand_);
  while (true) {
    if (entry == entries_.end()) entry = entries_.begin();
    if (!entry->second.used.exchange(false)) break;
    ++entry;
  }
  hand_ = entry->first + 1;
  entries_.erase(entry);
  dropped_.fetch_add(1, std::memory_order_relaxed);
}

void BoundedCache::insert(int key, long value) {
  const std::unique_lock<std::shared_timed_mutex> lock(mutex_);
  // Another worker may have been faster with the same key.
  if (entries_.count(key) == 0 && entries_.size() == capacity_) evict_one();
  Entry& entry = entries_[key];
  entry.value = value;
  entry.until = Clock::now() + lifetime_;
  if (entries_.size() > capacity_) overflowed_.store(true);
}

void BoundedCache::sweep() {
  // By the clock whose waits ThreadSanitizer of gcc 12 knows, too.
  const auto limit = std::chrono::system_clock::now() + std::chrono::milliseconds(1);
  const std::unique_lock<std::shared_timed_mutex> lock(mutex_, limit);
  if (!lock.owns_lock()) return;
  const Clock::time_point now = Clock::now();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->second.until < now) {
      entry = entries_.erase(entry);
      dropped_.fetch_add(1, std::memory_order_relaxed);
    } else {
      ++entry;
    }
  }
}

}  // namespace cache
