// What an event says about a lock.
#pragma once

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Has the task of this event got what it asked for, a lock or a semaphore's permit?  Of an event
/// that ends such an operation.
[[nodiscard]] inline bool has_got_lock(const Event& event) {
  const bool is_try = event.kind == OperationKind::mutex_try_lock ||
                      event.kind == OperationKind::shared_try_lock ||
                      event.kind == OperationKind::semaphore_try_acquire;
  return is_try ? event.payload_hash != 0 : !event.timed_out;
}

/// Does it ask for the lock alone, be it a mutex or one for readers and writers?
[[nodiscard]] inline bool asks_to_write(const Event& event) {
  return event.kind == OperationKind::mutex_lock || event.kind == OperationKind::mutex_try_lock;
}

}  // namespace orrery::detail
