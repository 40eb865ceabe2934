// Handlers of signals.  One that came while its thread is in the recorder would come there again:
// it would wait for itself, or write into the midst of a record.  So it comes a moment later.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>

#include <ranks/told_signals.hpp>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "loaded_range.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "signal_call.hpp"
#include "spool_writer.hpp"
#include "thread_memory.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;
using orrery::host::is_told_signal;
using Action = struct sigaction;

namespace {

constexpr int signals_end = orrery::host::last_signal + 1;

/// What the program has asked for, by signal.
struct Handlers {
  OwnLock lock;
  std::array<Action, signals_end> actions{};
  ByteRange own_code;  ///< of this library
};
Handlers handlers;  // NOLINT: of the process

/// A signal whose handler is still to come.
struct Late {
  int signal = 0;  ///< 0: none
  int timer = 0;
  int times = 0;  ///< so often it has been late before
  siginfo_t info{};
};
thread_local std::array<Late, 4> late __attribute__((tls_model("initial-exec")));

/// Does it call a function of the program's?
bool calls(const Action& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

int set_really(int signal, const Action* action, Action* before) {
  return next<static_cast<int (*)(int, const Action*, Action*)>(&::sigaction)>("sigaction")(
      signal, action, before);
}

void on_program_signal(int signal, siginfo_t* given, void* context);

/// Where the thread was when signals came, of which several may have come at once: then all but the
/// first have interrupted the one before it, which has not done anything yet.
const mcontext_t& interrupted(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  const auto place = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  if (place != reinterpret_cast<std::uintptr_t>(&on_program_signal)) return machine;
  return interrupted(reinterpret_cast<const void*>(machine.gregs[REG_RDX]));  // its own `context`
}

bool is_in_recorder(const void* context) {
  const auto place = interrupted(context).gregs[REG_RIP];
  if (handlers.own_code.has(static_cast<std::uint64_t>(place))) return true;
  if (SpoolWriter::asks_for_room()) return true;
  const ThreadMemory* const memory = own_record != nullptr ? own_record->memory() : nullptr;
  return memory != nullptr && memory->is_in_hook();
}

/// So often one is put off that came in a handler, each time for twice as long: 0.2 s in all.
constexpr int late_times_max = 10;

/// False: it cannot be.
bool put_off(int signal, const siginfo_t& info, int times) {
  for (const Late& one : late) {
    // As one that comes while the same is pending, which is queued if it is a real-time signal.
    if (one.signal == signal && signal < SIGRTMIN) return true;
  }
  for (Late& one : late) {
    if (one.signal != 0) continue;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &one.timer) != 0) return false;
    one.signal = signal;
    one.times = times;
    one.info = info;
    const itimerspec moment{{0, 0}, {0, 100'000L << times}};
    ::syscall(SYS_timer_settime, one.timer, 0, &moment, nullptr);
    return true;
  }
  return false;
}

/// How often was the signal put off?  Then it is what it was.
int take_late(int signal, siginfo_t& info) {
  for (Late& one : late) {
    if (one.signal != signal || info.si_code != SI_TIMER || info.si_timerid != one.timer) continue;
    ::syscall(SYS_timer_delete, one.timer);
    info = one.info;
    one.signal = 0;
    return one.times + 1;
  }
  return 0;
}

/// One that comes in the midst of anything is only counted.
void note_handler(HandlerCall& call, int signal, const siginfo_t* info) {
  ThreadRecord* const own = recorded();
  if (own == nullptr || call.keep(signal, info)) return;
  ++own->header().handlers;
  if (process_record.has_threads()) process_record.note(orrery::thread_spool::handlers_ran);
}

void on_program_signal(int signal, siginfo_t* given, void* context) {
  const int error = errno;
  siginfo_t info = *given;
  HandlerCall call;
  // One that is kept is mostly over in a moment, and need not be interrupted: a replay does not do
  // that.
  const int times = take_late(signal, info);
  const auto stack_pointer = static_cast<std::uintptr_t>(interrupted(context).gregs[REG_RSP]);
  const bool can_wait = times <= late_times_max && call.interrupts_kept(stack_pointer);
  if ((can_wait || is_in_recorder(context)) && put_off(signal, info, can_wait ? times : 0)) {
    errno = error;
    return call.is_over();
  }
  const Action action = handlers.actions[static_cast<std::size_t>(signal)];
  note_handler(call, signal, (action.sa_flags & SA_SIGINFO) != 0 ? &info : nullptr);
  if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) {
    const Action none{};
    set_really(signal, &none, nullptr);
  }
  errno = error;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, &info, context);
  } else if (calls(action)) {
    action.sa_handler(signal);
  }
  call.is_over();
}

void find_own_code() {
  dl_iterate_phdr(
      [](dl_phdr_info* file, std::size_t, void*) {
        const ByteRange code = loaded_range(*file, PF_X);
        const bool is_ours = code.has(reinterpret_cast<std::uintptr_t>(&on_program_signal));
        if (is_ours) handlers.own_code = code;
        return static_cast<int>(is_ours);
      },
      nullptr);
}

int set_recorded(int signal, const Action* action, Action* before) {
  const std::lock_guard held(handlers.lock);
  if (handlers.own_code.bytes == 0) find_own_code();
  Action& known = handlers.actions[static_cast<std::size_t>(signal)];
  const Action old = known;
  Action ours{};
  if (action != nullptr) {
    ours = *action;
    if (calls(ours)) {
      known = *action;
      ours.sa_sigaction = on_program_signal;
      ours.sa_flags = static_cast<int>(static_cast<unsigned>(ours.sa_flags | SA_SIGINFO) &
                                       ~static_cast<unsigned>(SA_RESETHAND));
    }
  }
  Action was{};
  const int result = set_really(signal, action != nullptr ? &ours : nullptr, &was);
  if (result != 0) known = old;
  const bool was_ours = (was.sa_flags & SA_SIGINFO) != 0 && was.sa_sigaction == on_program_signal;
  if (result == 0 && before != nullptr) *before = was_ours ? old : was;
  return result;
}

}  // namespace

ORRERY_RECORDED int sigaction(int signal, const Action* action, Action* before) noexcept {
  if (!is_told_signal(signal) || !process_record.is_on() ||
      !is_watched(__builtin_return_address(0))) {
    return set_really(signal, action, before);
  }
  return set_recorded(signal, action, before);
}

ORRERY_RECORDED sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (!is_told_signal(number) || !process_record.is_on() ||
      !is_watched(__builtin_return_address(0))) {
    return next<&::signal>("signal")(number, handler);
  }
  Action action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  Action before{};
  return set_recorded(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
