#include "object_accesses.hpp"

namespace orrery::detail {

ObjectAccess access_of(OperationKind kind, ObjectId object) {
  if (object == ObjectId{}) return ObjectAccess::none;
  switch (kind) {
    case OperationKind::read:
    case OperationKind::barrier_wait:
    case OperationKind::latch_wait:
    case OperationKind::join:
    case OperationKind::disk_read: return ObjectAccess::reads;
    case OperationKind::none:
    case OperationKind::task_start:
    case OperationKind::task_end:
    case OperationKind::spawn:
    case OperationKind::sleep:
    case OperationKind::yield:
    case OperationKind::fence:
    case OperationKind::send:
    case OperationKind::receive:
    case OperationKind::post_receive:
    case OperationKind::wait:
    case OperationKind::select:
    case OperationKind::test:
    case OperationKind::probe:
    case OperationKind::try_probe:
    case OperationKind::cancel:
    case OperationKind::deliver:
    case OperationKind::transfer:
    case OperationKind::random:
    case OperationKind::output:
    case OperationKind::fault:
    case OperationKind::recover:
    case OperationKind::compute:
    case OperationKind::count_: return ObjectAccess::none;
    // Who takes a shared lock is seen by who tries to have it alone, and who gives it back is who
    // the next one to lock it follows.
    default: return ObjectAccess::writes;
  }
}

ObjectAccess access_of(const Event& event) {
  const ObjectAccess access = access_of(event.kind, event.object);
  const bool is_wait = event.kind == OperationKind::condition_wait;
  const bool changed_nothing = is_failed_try(event) || (event.timed_out && !is_wait);
  return access == ObjectAccess::writes && changed_nothing ? ObjectAccess::reads : access;
}

bool is_failed_try(const Event& event) {
  switch (event.kind) {
    case OperationKind::mutex_try_lock:
    case OperationKind::shared_try_lock:
    case OperationKind::semaphore_try_acquire: return event.payload_hash == 0;
    default: return false;
  }
}

EventMask access_events() {
  EventMask mask;
  for (unsigned i = 0; i < static_cast<unsigned>(OperationKind::count_); ++i) {
    const auto kind = static_cast<OperationKind>(i);
    constexpr ObjectId any{TaskId{0}, 1};
    if (access_of(kind, any) != ObjectAccess::none) mask = mask | EventMask::of(kind);
  }
  return mask;
}

}  // namespace orrery::detail
