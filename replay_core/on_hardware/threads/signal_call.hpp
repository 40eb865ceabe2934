// Signals that a program sends to itself and waits for.
#pragma once

#include <csignal>
#include <cstdint>

#include <pthread.h>

#include "thread_record.hpp"

namespace orrery::on_hardware {

/// A call in which signals come to the calling thread: what comes of it is kept, one handler after
/// the other.  How many signals were pending is not: those that are equal come as one, or not, as
/// the system likes; who takes one is told which.  All sending and taking is in one order, that of
/// a semaphore which the program does not have: whoever takes one does so after it was sent.
class SignalCall {
 public:
  /// Before it does anything.
  explicit SignalCall(ThreadRecord& own);
  ~SignalCall();
  SignalCall(const SignalCall&) = delete;
  SignalCall& operator=(const SignalCall&) = delete;

  /// It is about to send one.
  void sends();
  /// It has waited, and come to a signal, or 0; or to an error, as a negative number.
  void has_waited(std::int64_t result);
  /// It has come to nothing that follows from others.
  void is_over();

 private:
  friend class HandlerCall;
  ThreadRecord& own_;
  SignalCall* around_;
  bool has_handled_ = false;
  bool is_over_ = false;
};

/// A handler of the program's, while it runs: what it is interrupted by is in no call.  Nor is its
/// thread cancelled in the midst of it, as the C library would where it waits: but when it is over.
class HandlerCall {
 public:
  HandlerCall();
  HandlerCall(const HandlerCall&) = delete;
  HandlerCall& operator=(const HandlerCall&) = delete;

  /// It has come in a call that is kept: so is this.  Null: it does not look at what is known of
  /// the signal.  False: it came in none.
  bool keep(int signal, const siginfo_t* info);
  /// It has returned: the call goes on, or its thread is cancelled in that.
  void is_over();
  /// Does it interrupt one that is kept, and is in no call itself?  `stack_pointer`: of what it
  /// interrupts, which lies above the kept one where the thread has left that.
  [[nodiscard]] bool interrupts_kept(std::uintptr_t stack_pointer) const {
    return within_ == nullptr && stack_pointer < reinterpret_cast<std::uintptr_t>(kept_before_);
  }

 private:
  SignalCall* within_;
  const HandlerCall* kept_before_;
  int cancel_type_ = PTHREAD_CANCEL_DEFERRED;
};

/// After all that was sent by now.
void take_signals(ThreadRecord& own);
/// What there is to know of a signal that came.
void keep_signal(const siginfo_t& info);

}  // namespace orrery::on_hardware
