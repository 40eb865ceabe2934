// Signals: in a rank they stay within it.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/program_identity.hpp"
#include "ranks/program_signals.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"
#include "ranks/told_signals.hpp"
#include "refused_call.hpp"

using orrery::host::find_thread;
using orrery::host::guarded_runtime;
using orrery::host::is_signal;
using orrery::host::is_told_signal;
using orrery::host::original;
using orrery::host::ProgramSignals;
using orrery::host::running;
using orrery::host::set_of;
using orrery::host::ThreadContext;

namespace {

constexpr std::int64_t picoseconds_per_microsecond = 1'000'000;
constexpr std::int64_t microseconds_per_second = 1'000'000;

int refuse(int error) {
  errno = error;
  return -1;
}

bool is_own_process(pid_t process) {
  return process == 0 || process == getpid() || process == -getpgrp() || process == -1;
}

std::int64_t picoseconds(const timeval& value) {
  return (value.tv_sec * microseconds_per_second + value.tv_usec) * picoseconds_per_microsecond;
}

timeval time_of(std::int64_t duration) {
  const std::int64_t microseconds =
      (std::max<std::int64_t>(duration, 0) + picoseconds_per_microsecond - 1) /
      picoseconds_per_microsecond;
  return {microseconds / microseconds_per_second, microseconds % microseconds_per_second};
}

itimerval arm(const itimerval& timer, std::uintptr_t program_counter) {
  auto& signals = ProgramSignals::of_this_rank();
  const std::int64_t now = guarded_runtime().now();
  const itimerval before{time_of(signals.alarm_period()),
                         time_of(signals.alarm_date() == 0 ? 0 : signals.alarm_date() - now)};
  const std::int64_t first = picoseconds(timer.it_value);
  signals.set_alarm(first == 0 ? 0 : now + first, picoseconds(timer.it_interval), program_counter);
  return before;
}

/// A function that waits for one.
class WaitPoint : public orrery::host::CancellationPoint {
 public:
  explicit WaitPoint(std::uintptr_t program_counter)
      : CancellationPoint(program_counter, running().thread->cancellation.counts_signal_waits) {}
};

/// Around a call that sends one: in a replay of real threads which were told of what came of it.
template <typename Send>
int send(int number, std::uintptr_t program_counter, const Send& send_it) {
  auto& signals = ProgramSignals::of_this_rank();
  if (!is_told_signal(number) || !ProgramSignals::are_told()) return send_it(signals);
  signals.begin_send(program_counter);
  const int result = send_it(signals);
  signals.run_told_handlers(program_counter);
  return result;
}

int send_to_thread(const ThreadContext* target, int number, std::uintptr_t program_counter) {
  if (target == nullptr) return ESRCH;
  if (number == 0 || target->has_ended) return 0;
  if (!is_signal(number)) return EINVAL;
  ProgramSignals::of_this_rank().send(target->handle(), number, program_counter);
  return 0;
}

int wait_for(const sigset_t& set, siginfo_t* info, std::int64_t deadline,
             std::uintptr_t program_counter) {
  const WaitPoint point(program_counter);
  auto& signals = ProgramSignals::of_this_rank();
  const auto told = ProgramSignals::are_told() ? signals.told_wait(program_counter) : std::nullopt;
  if (told && *told < 0) return refuse(static_cast<int>(-*told));
  const int signal = told ? signals.take(static_cast<int>(*told))
                          : signals.wait_for(set_of(set), deadline, program_counter);
  if (signal == 0) return refuse(EAGAIN);
  if (info != nullptr) {
    *info = {};
    info->si_signo = signal;
    info->si_code = SI_USER;
    info->si_pid = getpid();
    if (told) ProgramSignals::tell(*info);
  }
  return signal;
}

void suspend(const sigset_t& mask, std::uintptr_t program_counter) {
  const WaitPoint point(program_counter);
  auto& signals = ProgramSignals::of_this_rank();
  const auto before = signals.mask();
  sigset_t own;
  orrery::host::put_set(before, own);
  signals.set_mask(SIG_SETMASK, &mask, nullptr);
  signals.pause(program_counter);
  signals.set_mask(SIG_SETMASK, &own, nullptr);
  signals.deliver(program_counter);
}

/// In a replay of real threads whoever gets it is told the value.
void refuse_value(const sigval value) {
  if (value.sival_ptr == nullptr || ProgramSignals::are_told()) return;
  orrery::host::refuse_call("signals of the simulated machine carry no value, as this one would",
                            "leave the value somewhere before the signal is sent");
}

}  // namespace

extern "C" {

extern const char orrery_interposed_signals;
const char orrery_interposed_signals = 0;

// --- what shall be done -----------------------------------------------------------------------

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  if (running().user == nullptr) {
    return original<static_cast<int (*)(int, const struct sigaction*, struct sigaction*)>(
        &sigaction)>("sigaction")(signal, action, before);
  }
  return ProgramSignals::of_this_rank().set_action(signal, action, before);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (running().user == nullptr) return original<&signal>("signal")(number, handler);
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  const int result = ProgramSignals::of_this_rank().set_action(number, &action, &before);
  return result == 0 ? before.sa_handler : SIG_ERR;
}

// Handlers of faults run there if they ask for it, all others on the stack that is in use.
int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  if (running().user == nullptr) return original<&sigaltstack>("sigaltstack")(stack, before);
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const int error = ProgramSignals::of_this_rank().set_alternate_stack(stack, before, frame);
  return error == 0 ? 0 : refuse(error);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_sigmask>("pthread_sigmask")(how, set, before);
  }
  auto& signals = ProgramSignals::of_this_rank();
  const int error = signals.set_mask(how, set, before);
  const bool may_unblock = set != nullptr && how != SIG_BLOCK;
  if (may_unblock && ProgramSignals::are_told()) signals.run_told_handlers(ORRERY_CALLER);
  signals.deliver(ORRERY_CALLER);
  return error;
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  if (running().user == nullptr) return original<&sigprocmask>("sigprocmask")(how, set, before);
  const int error = pthread_sigmask(how, set, before);
  return error == 0 ? 0 : refuse(error);
}

int sigpending(sigset_t* set) noexcept {
  if (running().user == nullptr) return original<&sigpending>("sigpending")(set);
  auto& signals = ProgramSignals::of_this_rank();
  const auto own = signals.pending();
  const bool is_told = ProgramSignals::are_told();
  orrery::host::put_set(is_told ? signals.told_pending(own, ORRERY_CALLER) : own, *set);
  return 0;
}

// --- sending ----------------------------------------------------------------------------------

int raise(int number) noexcept {
  if (running().user == nullptr) return original<&raise>("raise")(number);
  if (number == 0) return 0;
  if (!is_signal(number)) return refuse(EINVAL);
  return send(number, ORRERY_CALLER, [=, place = ORRERY_CALLER](ProgramSignals& signals) {
    signals.send(running().thread->handle(), number, place);
    return 0;
  });
}

int kill(pid_t process, int number) noexcept {
  if (running().user == nullptr) return original<&kill>("kill")(process, number);
  // To others a simulated process sends nothing: there are none.
  if (!is_own_process(process)) return refuse(ESRCH);
  if (number == 0) return 0;
  if (!is_signal(number)) return refuse(EINVAL);
  return send(number, ORRERY_CALLER, [=, place = ORRERY_CALLER](ProgramSignals& signals) {
    signals.send_to_process(number, place);
    return 0;
  });
}

int pthread_kill(pthread_t handle, int number) noexcept {
  if (running().user == nullptr) return original<&pthread_kill>("pthread_kill")(handle, number);
  return send(number, ORRERY_CALLER, [=, place = ORRERY_CALLER](ProgramSignals&) {
    return send_to_thread(find_thread(handle), number, place);
  });
}

int tgkill(pid_t process, pid_t thread, int number) {
  if (running().user == nullptr) return original<&tgkill>("tgkill")(process, thread, number);
  if (process != getpid()) return refuse(ESRCH);
  const int error = send(number, ORRERY_CALLER, [=, place = ORRERY_CALLER](ProgramSignals&) {
    return send_to_thread(orrery::host::find_system_number(thread), number, place);
  });
  return error == 0 ? 0 : refuse(error);
}

int sigqueue(pid_t process, int number, const sigval value) noexcept {
  if (running().user == nullptr) return original<&sigqueue>("sigqueue")(process, number, value);
  refuse_value(value);
  return kill(process, number);
}

int pthread_sigqueue(pthread_t handle, int number, const sigval value) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_sigqueue>("pthread_sigqueue")(handle, number, value);
  }
  refuse_value(value);
  return pthread_kill(handle, number);
}

unsigned alarm(unsigned seconds) noexcept {
  if (running().user == nullptr) return original<&alarm>("alarm")(seconds);
  const itimerval before = arm({{0, 0}, {static_cast<time_t>(seconds), 0}}, ORRERY_CALLER);
  return static_cast<unsigned>(before.it_value.tv_sec + (before.it_value.tv_usec > 0 ? 1 : 0));
}

int setitimer(__itimer_which_t which, const itimerval* timer, itimerval* before) noexcept {
  if (running().user == nullptr) return original<&setitimer>("setitimer")(which, timer, before);
  if (which != ITIMER_REAL) return refuse(EINVAL);  // processor time does not pass here
  const itimerval old = arm(*timer, ORRERY_CALLER);
  if (before != nullptr) *before = old;
  return 0;
}

int getitimer(__itimer_which_t which, itimerval* timer) noexcept {
  if (running().user == nullptr) return original<&getitimer>("getitimer")(which, timer);
  *timer = {};
  if (which != ITIMER_REAL) return 0;
  const auto& signals = ProgramSignals::of_this_rank();
  if (signals.alarm_date() == 0) return 0;
  *timer = {time_of(signals.alarm_period()),
            time_of(signals.alarm_date() - guarded_runtime().now())};
  return 0;
}

// --- waiting ----------------------------------------------------------------------------------

int sigwait(const sigset_t* set, int* number) {
  if (running().user == nullptr) return original<&sigwait>("sigwait")(set, number);
  const int signal = wait_for(*set, nullptr, ORRERY_NEVER, ORRERY_CALLER);
  if (signal < 0) return errno;
  *number = signal;
  return 0;
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (running().user == nullptr) return original<&sigwaitinfo>("sigwaitinfo")(set, info);
  return wait_for(*set, info, ORRERY_NEVER, ORRERY_CALLER);
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* duration) {
  if (running().user == nullptr) {
    return original<&sigtimedwait>("sigtimedwait")(set, info, duration);
  }
  return wait_for(*set, info, orrery::host::deadline_after(duration), ORRERY_CALLER);
}

int sigsuspend(const sigset_t* mask) {
  if (running().user == nullptr) return original<&sigsuspend>("sigsuspend")(mask);
  suspend(*mask, ORRERY_CALLER);
  return refuse(EINTR);
}

int pause() {
  if (running().user == nullptr) return original<&pause>("pause")();
  const WaitPoint point(ORRERY_CALLER);
  ProgramSignals::of_this_rank().pause(ORRERY_CALLER);
  return refuse(EINTR);
}
}
