// What the functions of mutexes and of condition variables share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <mutex>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <orrery/sim_runtime/operation.hpp>

#include "next_function.hpp"
#include "process_record.hpp"

namespace orrery::on_hardware {

// --- mutexes: their holder writes -------------------------------------------------------------

/// The thread has got the mutex, by an operation of this kind.
void took(ThreadRecord& own, SharedObject& mutex, OperationKind kind);
/// It is about to give it back; the stamp of that is above `seen`, too.
[[nodiscard]] Turn give_back(const ThreadRecord& own, SharedObject& mutex, std::uint64_t seen);
/// It has come to a robust mutex that nobody can have any more: in simulation, too, it gets that
/// and gives it back in one operation.
void found_lost(ThreadRecord& own, SharedObject& mutex, OperationKind kind);

// --- all others: whoever has their guard ------------------------------------------------------

/// The thread's next operation on an object that has this word; above `seen`, too.
inline Turn turn_at(const ThreadRecord& own, const SharedObject& object, std::uint64_t word,
                    bool writes = true, std::uint64_t seen = 0) {
  Turn turn = own.turn_after(word, seen);
  turn.object = process_record.objects().number(object);
  turn.writes = writes;
  return turn;
}

/// The thread's next operation on the object, whose guard it has.
inline Turn next_turn(const ThreadRecord& own, SharedObject& object, bool writes = true) {
  const Turn turn = turn_at(own, object, object.word.load(std::memory_order_relaxed), writes);
  object.word.store(own.word_after(turn), std::memory_order_relaxed);
  return turn;
}
/// Does the next operation for who has not; `change` is done at the same time.  It is written down
/// before others can come behind it: they may end the process.
template <typename Change>
void count_next(ThreadRecord& own, SharedObject& object, OperationKind kind, const Change& change) {
  const std::lock_guard held(object.guard);
  change(object);
  own.count(kind, next_turn(own, object));
}
inline void count_next(ThreadRecord& own, SharedObject& object, OperationKind kind) {
  count_next(own, object, kind, [](const SharedObject&) {});
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
    syscall(SYS_nanosleep, &moment, nullptr);  // nobody is cancelled here
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
  if (is_counted) own.count_poll(kind, &object, 0, next_turn(own, object, /*writes=*/false));
}

}  // namespace orrery::on_hardware
