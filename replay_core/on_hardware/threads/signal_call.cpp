#include "signal_call.hpp"

#include <cerrno>
#include <utility>

#include <ranks/told_signals.hpp>

#include "locked_objects.hpp"

namespace orrery::on_hardware {
namespace {

/// Where it lies is the semaphore.
alignas(8) const char signals = 0;

constinit thread_local SignalCall* current_call __attribute__((tls_model("initial-exec"))) =
    nullptr;

/// The innermost that is kept, on the stack of its thread, which may have left it by `longjmp`.
constinit thread_local const HandlerCall* kept __attribute__((tls_model("initial-exec"))) = nullptr;

void count(ThreadRecord& own, OperationKind kind) {
  SharedObject* const object = shared_object(&signals);
  if (object != nullptr) count_next(own, *object, kind);
}

}  // namespace

SignalCall::SignalCall(ThreadRecord& own) : own_(own), around_(std::exchange(current_call, this)) {
  own_.before_operation();
}

// The thread leaves it otherwise if it is cancelled in it; or by a handler, which it does in a
// replay, too.
SignalCall::~SignalCall() {
  const bool is_cancelled = !is_over_ && current_call == this;
  current_call = around_;
  if (!is_cancelled || !has_handled_) return;
  own_.cancellation().has_begun();
  take_signals(own_);
  readings().drew(host::told_cancelled);
}

void SignalCall::sends() {
  count(own_, OperationKind::semaphore_release);
}

void SignalCall::has_waited(std::int64_t result) {
  is_over_ = true;
  take_signals(own_);
  readings().drew(static_cast<std::uint64_t>(result));
}

void SignalCall::is_over() {
  is_over_ = true;
  const int error = errno;
  readings().drew(0);
  errno = error;
}

HandlerCall::HandlerCall() : within_(std::exchange(current_call, nullptr)), kept_before_(kept) {
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel_type_);
}

void HandlerCall::is_over() {
  current_call = within_;
  kept = kept_before_;
  if (cancel_type_ != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(cancel_type_, nullptr);
}

bool HandlerCall::keep(int signal, const siginfo_t* info) {
  if (within_ == nullptr) return false;
  within_->has_handled_ = true;
  kept = this;
  within_->own_.before_operation();
  take_signals(within_->own_);
  readings().drew(host::told_handler(signal));
  if (info != nullptr) keep_signal(*info);
  return true;
}

void take_signals(ThreadRecord& own) {
  // In simulation, too, nobody waits here.
  count(own, OperationKind::semaphore_release);
  count(own, OperationKind::semaphore_acquire);
}

void keep_signal(const siginfo_t& info) {
  readings().drew(static_cast<std::uint32_t>(info.si_code));
  readings().drew(static_cast<std::uint32_t>(info.si_pid));
  readings().drew(reinterpret_cast<std::uintptr_t>(info.si_value.sival_ptr));
}

}  // namespace orrery::on_hardware
