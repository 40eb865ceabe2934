// Handlers of signals.  One that came while its thread is in the recorder would come there again:
// it would wait for itself, or write into the midst of a record.  So it comes a moment later.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include <ranks/told_signals.hpp>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "late_signals.hpp"
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

/// One that comes in the midst of anything is only counted.  True: it is kept.
bool note_handler(HandlerCall& call, int signal, const siginfo_t* info) {
  ThreadRecord* const own = recorded();
  if (own == nullptr) return false;
  if (call.keep(signal, info)) return true;
  ++own->header().handlers;
  if (process_record.has_threads()) process_record.note(orrery::thread_spool::handlers_ran);
  return false;
}

/// A set as the system has it.
using SystemSet = std::uint64_t;

/// All but faults, of which nobody is told, and what threads of the C library send each other.
constexpr SystemSet told_signals() {
  SystemSet result = 0;
  for (int signal = 1; signal < signals_end; ++signal) {
    const bool is_libraries = signal == 32 || signal == 33;
    if (is_told_signal(signal) && !is_libraries) result |= SystemSet{1} << (signal - 1);
  }
  return result;
}

/// What was blocked before.
SystemSet block_signals() {
  constexpr SystemSet told = told_signals();
  SystemSet before = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, &told, &before, sizeof told);
  return before;
}

void unblock_signals(SystemSet before) {
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
}

/// One that is kept is mostly over in a moment, and need not be interrupted: a replay does not do
/// that.
bool comes_later(const HandlerCall& call, int signal, siginfo_t& info, const void* context) {
  const Lateness lateness = take_late(signal, info);
  const auto stack_pointer = static_cast<std::uintptr_t>(interrupted(context).gregs[REG_RSP]);
  const bool can_wait = call.interrupts_kept(stack_pointer) && lateness.may_grow();
  if (can_wait) return put_off(signal, info, lateness);
  return is_in_recorder(context) && put_off(signal, info, {0, lateness.since_ns});
}

/// Once, if that is how it was asked for.
Action take_action(int signal) {
  const Action action = handlers.actions[static_cast<std::size_t>(signal)];
  if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) {
    const Action none{};
    set_really(signal, &none, nullptr);
  }
  return action;
}

/// What is noted of one handler is not for another: so they come when the program's has begun, or
/// when this returns, and the system unblocks them.
void on_program_signal(int signal, siginfo_t* given, void* context) {
  int error = errno;
  const SystemSet mask = block_signals();
  siginfo_t info = *given;
  HandlerCall call;
  bool is_kept = false;
  if (!comes_later(call, signal, info, context)) {
    const Action action = take_action(signal);
    const bool has_info = (action.sa_flags & SA_SIGINFO) != 0;
    is_kept = note_handler(call, signal, has_info ? &info : nullptr);
    errno = error;
    unblock_signals(mask);
    if (has_info) {
      action.sa_sigaction(signal, &info, context);
    } else if (calls(action)) {
      action.sa_handler(signal);
    }
    error = errno;
    block_signals();
  }
  call.is_over();
  if (is_kept) send_late();
  errno = error;
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
