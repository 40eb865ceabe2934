// What the functions of mutexes and of condition variables share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <mutex>

#include <sched.h>

#include <orrery/sim_runtime/operation.hpp>

#include "next_function.hpp"
#include "process_record.hpp"

namespace orrery::on_hardware {

// --- mutexes: their holder writes -------------------------------------------------------------

[[nodiscard]] std::uint64_t last_stamp(const SharedObject& mutex);
/// The thread has got the mutex, by an operation of this kind.
void took(ThreadRecord& own, SharedObject& mutex, OperationKind kind);
/// It is about to give it back; returns the stamp of that, which is above `seen`, too.
[[nodiscard]] std::uint64_t give_back(const ThreadRecord& own, SharedObject& mutex,
                                      std::uint64_t seen);

// --- all others: whoever has their guard ------------------------------------------------------

/// The stamp of the thread's next operation on the object, whose guard it has.
inline std::uint64_t next_stamp(const ThreadRecord& own, SharedObject& object) {
  const std::uint64_t stamp = own.stamp_after(object.stamp.load(std::memory_order_relaxed));
  object.stamp.store(stamp, std::memory_order_relaxed);
  return stamp;
}
/// The same for who has not; `change` is done at the same time.
template <typename Change>
std::uint64_t next_stamp(const ThreadRecord& own, SharedObject& object, const Change& change) {
  const std::lock_guard held(object.guard);
  change(object);
  return next_stamp(own, object);
}

/// For who waits until another thread, which may have lost its processor, has said what it did.
class Patience {
 public:
  /// False: it has been seconds.  Nobody will say it: who got the object before there was a
  /// recorder.
  bool wait() {
    constexpr int yields = 1'000;
    constexpr int rounds_max = 100'000;
    if (++rounds_ <= yields) {
      sched_yield();
      return true;
    }
    const timespec moment{0, 50'000};
    next<&::nanosleep>("nanosleep")(&moment, nullptr);
    return rounds_ < rounds_max;
  }

 private:
  int rounds_ = 0;
};

/// Somebody's try has failed: but does the object still say why?  It will, soon, when who has just
/// taken it has said so.  `is_why(object)`: it does.
template <typename IsWhy>
void count_failed_try(ThreadRecord& own, SharedObject& object, OperationKind kind, bool& is_counted,
                      const IsWhy& is_why) {
  const std::lock_guard held(object.guard);
  is_counted = is_why(object);
  if (is_counted) own.count(kind, next_stamp(own, object));
}

}  // namespace orrery::on_hardware
