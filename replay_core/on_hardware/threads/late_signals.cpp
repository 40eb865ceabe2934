#include "late_signals.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace orrery::on_hardware {
namespace {

struct Late {
  int signal = 0;  ///< 0: none
  int timer = 0;
  Lateness lateness{};
  siginfo_t info{};
};
thread_local std::array<Late, 4> late __attribute__((tls_model("initial-exec")));

/// A handler that computes for longer may wait for the signal; so may one that has waited for 3 s,
/// be it for a processor.
constexpr std::int64_t computed_ns_max = 200'000'000;
constexpr int late_times_max = 64;

/// The first time for 0.1 ms, then for twice as long, at most for 51 ms.
constexpr std::int64_t late_ns(int times) {
  return std::int64_t{100'000} << std::min(times, 9);
}

std::int64_t computed_ns() {
  timespec time{};
  ::syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

pid_t own_thread() {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

void set_timer(int timer, std::int64_t duration_ns) {
  const itimerspec moment{{0, 0}, {0, duration_ns}};
  ::syscall(SYS_timer_settime, timer, 0, &moment, nullptr);
}

bool start_timer(Late& one, int signal) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = own_thread();
  if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &one.timer) != 0) return false;
  set_timer(one.timer, late_ns(one.lateness.times));
  return true;
}

/// Then its signal is pending.
bool has_expired(int timer) {
  itimerspec left{};
  ::syscall(SYS_timer_gettime, timer, &left);
  return left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0;
}

}  // namespace

bool Lateness::may_grow() const {
  return times == 0 || (times <= late_times_max && computed_ns() - since_ns <= computed_ns_max);
}

bool put_off(int signal, const siginfo_t& info, const Lateness& lateness) {
  for (const Late& one : late) {
    // As one that comes while the same is pending, which is queued if it is a real-time signal.
    if (one.signal == signal && signal < SIGRTMIN) return true;
  }
  for (Late& one : late) {
    if (one.signal != 0) continue;
    one.lateness = lateness;
    if (lateness.since_ns == 0) one.lateness.since_ns = computed_ns();
    if (!start_timer(one, signal)) return false;
    one.signal = signal;
    one.info = info;
    return true;
  }
  return false;
}

Lateness take_late(int signal, siginfo_t& info) {
  for (Late& one : late) {
    if (one.signal != signal || info.si_code != SI_TIMER || info.si_timerid != one.timer) continue;
    ::syscall(SYS_timer_delete, one.timer);
    info = one.info;
    one.signal = 0;
    return {one.lateness.times + 1, one.lateness.since_ns};
  }
  return {};
}

void send_late() {
  for (const Late& one : late) {
    if (one.signal == 0 || has_expired(one.timer)) continue;
    // Whether it expires meanwhile or not, its signal comes once.  One that is deleted then has its
    // pending signal lost with some kernels, with others not.
    set_timer(one.timer, 1);
    while (!has_expired(one.timer)) {
    }
  }
}

}  // namespace orrery::on_hardware
