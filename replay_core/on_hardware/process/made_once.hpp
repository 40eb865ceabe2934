// What a process has one of.
#pragma once

#include <atomic>
#include <mutex>

#include "own_lock.hpp"

namespace orrery::on_hardware {

/// Made when it is first asked for, by whichever thread, and there to the very end: other threads
/// may ask while the process exits.
///
///     static constinit MadeOnce<Readings> of_process;
///     return of_process.get();
template <typename Value>
class MadeOnce {
 public:
  [[nodiscard]] Value& get() {
    Value* const made = made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make();
  }

 private:
  [[gnu::cold, gnu::noinline]] Value& make() {
    const std::lock_guard held(lock_);
    Value* made = made_.load(std::memory_order_relaxed);
    if (made == nullptr) {
      made = new Value;
      made_.store(made, std::memory_order_release);
    }
    return *made;
  }

  OwnLock lock_;
  std::atomic<Value*> made_ = nullptr;
};

}  // namespace orrery::on_hardware
