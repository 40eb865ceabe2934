#include "program_signals.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/sim_runtime/signal_text.hpp>

#include "rank_context.hpp"
#include "threads.hpp"
#include "told_signals.hpp"

namespace orrery::host {
namespace {

bool is_ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

[[noreturn]] void die_of(int signal, std::uintptr_t program_counter) {
  RankContext& user = *running().user;
  {
    const HostScope scope;
    user.last_words =
        fmt::format("the program was killed by {}, which it sent itself", signal_text(signal));
  }
  guarded_runtime().finding("crash", user.last_words.c_str(), program_counter);
  __builtin_unreachable();
}

}  // namespace

SignalSet set_of(const sigset_t& set) {
  SignalSet result = 0;
  std::memcpy(&result, &set, sizeof result);
  return result;
}

void put_set(SignalSet from, sigset_t& set) {
  sigemptyset(&set);
  std::memcpy(&set, &from, sizeof from);
}

ProgramSignals* ProgramSignals::known() {
  const RankContext* const user = running().user;
  return user == nullptr ? nullptr : static_cast<ProgramSignals*>(user->signals.get());
}

ProgramSignals& ProgramSignals::of_this_rank() {
  RankContext& user = *running().user;
  if (user.signals == nullptr) {
    const HostScope scope;
    user.signals = std::make_shared<ProgramSignals>();
  }
  return *static_cast<ProgramSignals*>(user.signals.get());
}

ProgramSignals::Thread& ProgramSignals::thread(pthread_t handle) {
  const auto index = static_cast<std::size_t>(handle);
  if (index >= threads_.size()) {
    const HostScope scope;
    threads_.resize(index + 1);
  }
  return threads_[index];
}

ProgramSignals::Thread& ProgramSignals::self() {
  return thread(running().thread->handle());
}

int ProgramSignals::set_action(int signal, const struct sigaction* action,
                               struct sigaction* before) {
  if (!is_signal(signal) || (action != nullptr && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  struct sigaction& known = actions_[static_cast<std::size_t>(signal)];
  const struct sigaction old = known;
  if (action != nullptr) known = *action;
  if (before != nullptr) *before = old;
  return 0;
}

int ProgramSignals::set_mask(int how, const sigset_t* set, sigset_t* before) {
  Thread& own = self();
  if (before != nullptr) put_set(own.mask, *before);
  if (set == nullptr) return 0;
  const SignalSet given = set_of(*set) & ~(bit_of(SIGKILL) | bit_of(SIGSTOP));
  switch (how) {
    case SIG_BLOCK: own.mask |= given; return 0;
    case SIG_UNBLOCK: own.mask &= ~given; return 0;
    case SIG_SETMASK: own.mask = given; return 0;
    default: return EINVAL;
  }
}

SignalSet ProgramSignals::mask() {
  return self().mask;
}

SignalSet ProgramSignals::pending() {
  return self().pending | pending_;
}

/// Does it end here: is it ignored, or does it end the process?
bool ProgramSignals::is_dropped(int signal, std::uintptr_t program_counter) {
  const struct sigaction& action = actions_[static_cast<std::size_t>(signal)];
  if (action.sa_handler == SIG_IGN) return true;
  if (action.sa_handler != SIG_DFL) return false;
  if (is_ignored_by_default(signal)) return true;
  die_of(signal, program_counter);
}

void ProgramSignals::send(pthread_t handle, int signal, std::uintptr_t program_counter) {
  if (is_dropped_at_once(thread(handle).mask, signal, program_counter)) return;
  if (handle == running().thread->handle()) {
    self().pending |= bit_of(signal);
    if (are_told()) running().has_signals = true;
    deliver(program_counter);
    return;
  }
  post(thread(handle).pending, signal, program_counter);
  const ThreadContext* const target = numbered_thread(handle);
  const bool may_take = target != nullptr && admitted(bit_of(signal), *target) != 0;
  if (thread(handle).may_be_woken && may_take) guarded_runtime().thread_interrupt(target->number);
  deliver(program_counter);
}

/// Whoever runs takes it, if it may; else the first that may.  0: nobody does.
pthread_t ProgramSignals::receiver_of(int signal) {
  const auto may_take = [&](const ThreadContext& one) {
    const SignalSet mask = thread(one.handle()).mask;
    return !one.has_ended && admitted(bit_of(signal) & ~mask, one) != 0;
  };
  if (may_take(*running().thread)) return running().thread->handle();
  for (const ThreadContext& other : running().user->threads) {
    if (may_take(other)) return other.handle();
  }
  return 0;
}

void ProgramSignals::send_to_process(int signal, std::uintptr_t program_counter) {
  if (const pthread_t receiver = receiver_of(signal)) {
    return send(receiver, signal, program_counter);
  }
  post(pending_, signal, program_counter);  // for whoever asks first
  deliver(program_counter);
}

void ProgramSignals::inherit(pthread_t handle) {
  const SignalSet mask = self().mask;
  thread(handle).mask = mask;
}

/// Nobody else does anything between the step and what comes of it: so logs of the order of steps
/// tell what who waits has found.
void ProgramSignals::post(SignalSet& pending, int signal, std::uintptr_t program_counter) {
  {
    const ComputingScope scope(program_counter);
    const RuntimeGuard guard;
    running().runtime->futex_wake(&news_, INT32_MAX, 0xffffffffU, nullptr, 0, 0, program_counter);
  }
  ++news_;
  pending |= bit_of(signal);
  running().has_signals = true;
}

/// A step, behind which it is looked what has come.
void ProgramSignals::look(std::uintptr_t program_counter) {
  guarded_runtime().futex_wait(&news_, ~news_, 0xffffffffU, ORRERY_NEVER, /*is_programs=*/0,
                               program_counter);
}

void ProgramSignals::call(int signal, Thread& thread, bool is_told) {
  struct sigaction& known = actions_[static_cast<std::size_t>(signal)];
  const struct sigaction action = known;
  const SignalSet before = thread.mask;
  thread.mask |= set_of(action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) thread.mask |= bit_of(signal);
  if ((static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0) {
    known = {};
  }
  const int error = errno;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_TKILL;
    info.si_pid = getpid();
    if (is_told) tell(info);
    action.sa_sigaction(signal, &info, nullptr);
  } else {
    action.sa_handler(signal);
  }
  errno = error;
  thread.mask = before;
  ++thread.handled;
}

bool ProgramSignals::deliver(std::uintptr_t program_counter) {
  bool has_handled = false;
  for (;;) {
    Thread& own = self();
    const SignalSet coming = admitted((own.pending | pending_) & ~own.mask, *running().thread);
    if (coming == 0) return has_handled;
    const int signal = std::countr_zero(coming) + 1;
    own.pending &= ~bit_of(signal);
    pending_ &= ~bit_of(signal);
    if (is_dropped(signal, program_counter)) continue;
    std::uint64_t& to_come = running().thread->handlers_to_come;
    if (is_told_signal(signal) && to_come > 0) --to_come;
    call(signal, own, /*is_told=*/false);
    has_handled = true;
  }
}

int ProgramSignals::wait_for(SignalSet set, std::int64_t deadline, std::uintptr_t program_counter) {
  look(program_counter);
  for (;;) {
    Thread& own = self();
    const SignalSet come = (own.pending | pending_) & set;
    if (come != 0) {
      const int signal = std::countr_zero(come) + 1;
      if ((own.pending & bit_of(signal)) != 0) {
        own.pending &= ~bit_of(signal);
      } else {
        pending_ &= ~bit_of(signal);
      }
      return signal;
    }
    if (deadline <= guarded_runtime().now()) return 0;
    const int result = guarded_runtime().futex_wait(&news_, news_, 0xffffffffU, deadline,
                                                    /*is_programs=*/0, program_counter);
    if (result == ETIMEDOUT) deadline = 0;
  }
}

void ProgramSignals::pause(std::uintptr_t program_counter) {
  if (are_told() && told_wait(program_counter)) return;
  const std::uint64_t before = self().handled;
  look(program_counter);
  deliver(program_counter);
  while (self().handled == before) {
    const int result = guarded_runtime().futex_wait(&news_, news_, 0xffffffffU, ORRERY_NEVER,
                                                    /*is_programs=*/0, program_counter);
    deliver(program_counter);
    if (result == ETIMEDOUT) return;
  }
}

void* ProgramSignals::run_alarm(void* argument) {
  auto& signals = *static_cast<ProgramSignals*>(argument);
  const std::uint64_t number = signals.alarm_.number;
  signals.self().mask = ~SignalSet{0};
  while (signals.alarm_.number == number) {
    const std::int64_t now = guarded_runtime().now();
    guarded_runtime().sleep(signals.alarm_.date > now ? signals.alarm_.date - now : 0, 0);
    if (signals.alarm_.number != number) break;
    const bool repeats = signals.alarm_.period > 0;
    signals.alarm_.date = repeats ? signals.alarm_.date + signals.alarm_.period : 0;
    signals.send_to_process(SIGALRM, 0);
    if (!repeats) break;
  }
  return nullptr;
}

void ProgramSignals::set_alarm(std::int64_t date, std::int64_t period,
                               std::uintptr_t program_counter) {
  alarm_ = {date, period, alarm_.number + 1};
  // A thread that real threads did not have could not be replayed.
  if (date == 0 || (are_told() && running().thread->handlers_to_come == 0)) return;
  const ThreadContext& clock = start_thread(run_alarm, this, true, program_counter);
  guarded_runtime().thread_name(clock.number, "alarm");
}

namespace {

// What a function may use below its stack pointer.
constexpr std::uintptr_t red_zone_bytes = 128;
// A frame that jumped past the end of its stack has left it by no more than that.
constexpr std::uintptr_t overflow_bytes = std::uintptr_t{1} << 20U;
constexpr std::size_t least_stack_bytes = 2048;  // of `sigaltstack`

/// What is left of the stack that is in use, be it a thread's or one that the program has made.
StackRange stack_in_use(std::uintptr_t pointer) {
  void* bottom = nullptr;
  std::size_t bytes = 0;
  guarded_runtime().thread_stack(running().thread->number, &bottom, &bytes);
  const StackRange own{reinterpret_cast<std::uintptr_t>(bottom), bytes};
  const bool is_own = pointer - (own.begin - overflow_bytes) < overflow_bytes + own.bytes;
  return is_own ? own : StackRange{0, pointer};
}

}  // namespace

bool ProgramSignals::has_handler(int signal) const {
  const struct sigaction& action = actions_[static_cast<std::size_t>(signal)];
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool ProgramSignals::handle_fault(int signal, const siginfo_t* info, void* context) {
  if (!has_handler(signal)) return false;
  const struct sigaction& action = actions_[static_cast<std::size_t>(signal)];
  Thread& own = self();
  const std::uintptr_t pointer = interrupted_stack_pointer(context);
  leave_fault(own, pointer);
  if ((own.mask & bit_of(signal)) != 0) return false;  // the system does not wait, either
  const bool changes_stack =
      (action.sa_flags & SA_ONSTACK) != 0 && own.alternate.bytes > 0 && !own.alternate.has(pointer);
  const StackRange stack = changes_stack ? own.alternate : stack_in_use(pointer);
  const std::uintptr_t top =
      changes_stack ? own.alternate.begin + own.alternate.bytes : pointer - red_zone_bytes;
  return enter_on(stack, top, on_fault, signal, info, context);
}

void ProgramSignals::handle_abort() {
  if (!has_handler(SIGABRT)) return;
  siginfo_t info{};
  info.si_signo = SIGABRT;
  on_fault(SIGABRT, &info, nullptr);
}

/// On the stack of the thread, which may lose its turn here as anywhere.
void ProgramSignals::on_fault(int signal, siginfo_t* info, void* context) {
  auto& signals = of_this_rank();
  struct sigaction& known = signals.actions_[static_cast<std::size_t>(signal)];
  const struct sigaction action = known;
  Thread& own = signals.self();
  const SignalSet mask = own.mask;
  const std::uintptr_t frame = own.fault_frame;
  own.mask |= set_of(action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) own.mask |= bit_of(signal);
  own.fault_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if ((static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0) {
    known = {};
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  own.mask = mask;
  own.fault_frame = frame;
}

/// A handler may have been left by `setcontext`, which puts back the mask of the system's alone.
void ProgramSignals::leave_fault(Thread& own, std::uintptr_t stack_pointer) const {
  if (own.fault_frame == 0) return;
  const bool is_left = own.alternate.has(own.fault_frame) ? !own.alternate.has(stack_pointer)
                                                          : stack_pointer > own.fault_frame;
  if (!is_left) return;
  own.fault_frame = 0;
  for (int signal = 1; signal <= last_signal; ++signal) {
    if (is_fault(signal)) own.mask &= ~bit_of(signal);
  }
}

int ProgramSignals::set_alternate_stack(const stack_t* stack, stack_t* before,
                                        std::uintptr_t stack_pointer) {
  StackRange& alternate = self().alternate;
  const bool is_in_use = alternate.has(stack_pointer);
  const StackRange old = alternate;
  if (stack != nullptr) {
    if (is_in_use) return EPERM;
    const bool is_disabled = (stack->ss_flags & SS_DISABLE) != 0;
    if (!is_disabled && stack->ss_size < least_stack_bytes) return ENOMEM;
    alternate = is_disabled
                    ? StackRange{}
                    : StackRange{reinterpret_cast<std::uintptr_t>(stack->ss_sp), stack->ss_size};
  }
  if (before == nullptr) return 0;
  const int flags = old.bytes == 0 ? SS_DISABLE : is_in_use ? SS_ONSTACK : 0;
  *before = {reinterpret_cast<void*>(old.begin), flags, old.bytes};
  return 0;
}

namespace {
bool has_died_in_program = false;
}  // namespace

bool filter_fault(int signal, void* info, void* context) {
  if (running().user == nullptr) return false;
  auto* const signals = ProgramSignals::known();
  const bool is_fault = signal != SIGALRM;  // that one is the watchdog's
  if (is_fault && signals != nullptr &&
      signals->handle_fault(signal, static_cast<const siginfo_t*>(info), context)) {
    return true;
  }
  running().user = nullptr;  // what follows is ours
  has_died_in_program = true;
  return false;
}

bool settle_accesses() {
  if (!has_died_in_program) return false;
  if (running().hooks != nullptr) running().hooks->tell_accesses();
  return true;
}

SignalPoint::SignalPoint() : signals_(ProgramSignals::known()) {
  if (signals_ == nullptr) return;
  handled_before_ = signals_->self().handled;
  signals_->self().may_be_woken = true;
}

SignalPoint::~SignalPoint() {
  if (signals_ != nullptr) signals_->self().may_be_woken = false;
}

bool SignalPoint::was_interrupted() const {
  return signals_ != nullptr && signals_->self().handled != handled_before_;
}

}  // namespace orrery::host
