// Which threads' bytes come first through pipes and the like, and who gets which.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>

#include <pthread.h>

#include "cancellation.hpp"
#include "own_lock.hpp"

namespace orrery::on_hardware {

/// Bytes on their way, or what an event counter has.
struct Queue {
  /// Had while something is done to it; nobody waits for it long.
  OwnLock guard;
  /// In a replay, too, what is done to it has a lock, which is recorded as one of the program's.
  pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
};

class EpollList;

/// What a descriptor leads to.
struct Ends {
  Queue* in = nullptr;
  Queue* out = nullptr;
  bool is_timer = false;
  EpollList* list = nullptr;
  /// Does what is found there follow from something else than what the program's threads do?
  [[nodiscard]] bool has_clock() const { return is_timer || list != nullptr; }
};

/// Null: no pipe or the like.
[[nodiscard]] const Ends* ends_of(int file);
void set_ends(int file, const Ends* ends);

/// Is what the calling thread does to queues kept in an order?
[[nodiscard]] bool keeps_order();
/// Is it kept what its calls have found that wait for files with clocks?
[[nodiscard]] bool keeps_findings();

/// The guards of several queues at once.  Meanwhile a handler of a signal, which may write to the
/// pipe that the thread is reading, does not wait for them; nor is the thread cancelled.
class Guarded {
 public:
  /// Sorts them.
  explicit Guarded(std::span<Queue*> queues);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  NotCancelled until_given_back_;
  std::span<Queue*> queues_;
};

/// The thread's turn at a queue, of which it has the guard: so nobody waits.  Null: at none.
class QueueTurn {
 public:
  explicit QueueTurn(Queue* queue) : queue_(queue) {
    if (queue_ != nullptr) pthread_mutex_lock(&queue_->order);
  }
  ~QueueTurn() {
    if (queue_ == nullptr) return;
    const int error = errno;
    pthread_mutex_unlock(&queue_->order);
    errno = error;
  }
  QueueTurn(const QueueTurn&) = delete;
  QueueTurn& operator=(const QueueTurn&) = delete;

 private:
  Queue* queue_;
};

/// The thread has seen something of it, and comes behind whoever has done that.
void take_turn(Queue* queue);

/// What a call came to that follows from nothing that a log has: so a replay is told it.  -1: by
/// `errno`.
void keep_outcome(std::int64_t result);

}  // namespace orrery::on_hardware
