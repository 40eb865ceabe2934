// Signals that a thread of the program sends to others, or itself, and waits for.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <ranks/told_signals.hpp>
#include <unistd.h>

#include "cancellation.hpp"
#include "next_function.hpp"
#include "process_end.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "signal_call.hpp"

using namespace orrery::on_hardware;
using orrery::host::is_told_signal;

namespace {

// --- sending ------------------------------------------------------------------------------------

/// As in simulation, where there are no others.
bool is_own_process(pid_t process) {
  return process == 0 || process == next<&::getpid>("getpid")() || process == -1 ||
         process == -getpgrp();
}

/// It may come at once, if it is for who sends it.
template <typename Send>
int send_recorded(int signal, const Send& send) {
  const OwnSignal sent(signal);
  ThreadRecord* const own = is_told_signal(signal) ? recorded() : nullptr;
  if (own == nullptr) return send();
  SignalCall call(*own);
  call.sends();
  const int result = send();
  call.is_over();
  return result;
}

// --- waiting ------------------------------------------------------------------------------------

/// `wait(info)`: as `sigwaitinfo`.
template <typename Wait>
int wait_recorded(siginfo_t* info, const Wait& wait) {
  return cancellable([&] {
    ThreadRecord* const own = recorded();
    if (own == nullptr) return wait(info);
    SignalCall call(*own);
    const int result = wait(info);
    const int error = errno;
    call.has_waited(result < 0 ? -std::int64_t{error} : result);
    if (result > 0 && info != nullptr) keep_signal(*info);
    errno = error;
    return result;
  });
}

/// For a handler, whichever.
template <typename Wait>
int wait_for_handler(const Wait& wait) {
  return cancellable([&] {
    ThreadRecord* const own = recorded();
    if (own == nullptr) return wait();
    SignalCall call(*own);
    const int result = wait();
    const int error = errno;
    call.has_waited(0);
    errno = error;
    return result;
  });
}

// --- blocking -----------------------------------------------------------------------------------

/// What was pending comes when it is blocked no more.
template <typename Set>
int unblock_recorded(int how, const sigset_t* signals, const Set& set) {
  ThreadRecord* const own = signals != nullptr && how != SIG_BLOCK ? recorded() : nullptr;
  if (own == nullptr) return set();
  SignalCall call(*own);
  const int result = set();
  call.is_over();
  return result;
}

}  // namespace

ORRERY_RECORDED int raise(int signal) noexcept {
  return send_recorded(signal, [=] { return next<&::raise>("raise")(signal); });
}

ORRERY_RECORDED int kill(pid_t process, int signal) noexcept {
  const auto send = [=] { return next<&::kill>("kill")(process, signal); };
  return is_own_process(process) ? send_recorded(signal, send) : send();
}

ORRERY_RECORDED int pthread_kill(pthread_t thread, int signal) noexcept {
  return send_recorded(signal,
                       [=] { return next<&::pthread_kill>("pthread_kill")(thread, signal); });
}

ORRERY_RECORDED int tgkill(pid_t process, pid_t thread, int signal) {
  const auto send = [=] { return next<&::tgkill>("tgkill")(process, thread, signal); };
  return is_own_process(process) ? send_recorded(signal, send) : send();
}

ORRERY_RECORDED int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  const auto send = [=] { return next<&::sigqueue>("sigqueue")(process, signal, value); };
  return is_own_process(process) ? send_recorded(signal, send) : send();
}

ORRERY_RECORDED int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
  return send_recorded(
      signal, [=] { return next<&::pthread_sigqueue>("pthread_sigqueue")(thread, signal, value); });
}

ORRERY_RECORDED int sigwait(const sigset_t* set, int* number) {
  // The C library's own is done again when a handler has run.
  const int result = wait_recorded(nullptr, [=](siginfo_t*) {
    const int error = next<&::sigwait>("sigwait")(set, number);
    if (error == 0) return *number;
    errno = error;
    return -1;
  });
  return result < 0 ? errno : 0;
}

ORRERY_RECORDED int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return wait_recorded(
      info, [=](siginfo_t* into) { return next<&::sigwaitinfo>("sigwaitinfo")(set, into); });
}

ORRERY_RECORDED int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* duration) {
  return wait_recorded(info, [=](siginfo_t* into) {
    return next<&::sigtimedwait>("sigtimedwait")(set, into, duration);
  });
}

ORRERY_RECORDED int sigsuspend(const sigset_t* mask) {
  return wait_for_handler([=] { return next<&::sigsuspend>("sigsuspend")(mask); });
}

ORRERY_RECORDED int pause() {
  return wait_for_handler([] { return next<&::pause>("pause")(); });
}

ORRERY_RECORDED int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return unblock_recorded(
      how, set, [=] { return next<&::pthread_sigmask>("pthread_sigmask")(how, set, before); });
}

ORRERY_RECORDED int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return unblock_recorded(how, set,
                          [=] { return next<&::sigprocmask>("sigprocmask")(how, set, before); });
}

ORRERY_RECORDED int sigpending(sigset_t* set) noexcept {
  const int result = next<&::sigpending>("sigpending")(set);
  ThreadRecord* const own = result == 0 ? recorded() : nullptr;
  if (own == nullptr) return result;
  own->before_operation();
  take_signals(*own);
  std::uint64_t pending = 0;
  std::memcpy(&pending, set, sizeof pending);
  readings().drew(pending);
  return result;
}
