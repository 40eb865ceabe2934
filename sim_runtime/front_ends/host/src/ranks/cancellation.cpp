#include "cancellation.hpp"

#include <utility>

#include "program_identity.hpp"
#include "threads.hpp"

namespace orrery::host {
namespace {

/// `is_due`: if it was asked for, that is acted on here.
void act(ThreadContext& thread, std::uint64_t place, bool is_due, std::uintptr_t program_counter) {
  Cancellation& own = thread.cancellation;
  const bool is_wanted = is_due && own.is_asked_for && own.is_enabled;
  const bool acts = own.recorded ? *own.recorded == place : is_wanted;
  if (!acts) return;
  // In a replay nobody may have asked yet.
  guarded_runtime().semaphore_acquire(&own.requests, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                                      program_counter);
  note_cancelled(thread, place);
  leave_thread(PTHREAD_CANCELED);
}

void end_waits(ThreadContext& thread) {
  thread.cancellation.ends_waits = true;
  guarded_runtime().thread_end_waits(thread.number, 1);
}

}  // namespace

CancellationPoint::CancellationPoint(std::uintptr_t program_counter, bool is_counted)
    : thread_(is_counted ? running().thread : nullptr), program_counter_(program_counter) {
  if (thread_ == nullptr) return;
  Cancellation& own = thread_->cancellation;
  if (own.is_at_point) {
    thread_ = nullptr;
    return;
  }
  own.place += 2;
  act(*thread_, own.place, /*is_due=*/true, program_counter);
  own.is_at_point = true;
  // Whoever asked for it did so by the time when the waiting ended, and may do so later here.
  if (own.recorded == own.place + 1) end_waits(*thread_);
}

CancellationPoint::~CancellationPoint() noexcept(false) {
  if (thread_ == nullptr) return;
  Cancellation& own = thread_->cancellation;
  own.is_at_point = false;
  if (!std::exchange(own.ends_waits, false)) return;
  const bool has_ended_wait = guarded_runtime().thread_end_waits(thread_->number, 0) != 0;
  act(*thread_, own.place + 1, has_ended_wait, program_counter_);
}

void cancel(ThreadContext& thread, std::uintptr_t program_counter) {
  Cancellation& its = thread.cancellation;
  guarded_runtime().semaphore_release(&its.requests, program_counter);
  note_cancellations();
  its.is_asked_for = true;
  if (!its.recorded && its.is_at_point && its.is_enabled) end_waits(thread);
}

}  // namespace orrery::host
