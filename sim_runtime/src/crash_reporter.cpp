#include <algorithm>
#include <cerrno>
#include <cstring>

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>

#include "machine.hpp"

namespace orrery {
namespace {

constexpr std::array fatal_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
// The unwinder, which runs on the alternate stack, uses some 10 KiB of it.
constexpr std::size_t alternate_stack_bytes = std::size_t{128} * 1024;
// A large frame may jump past the guard page: a fault this near to the stack pointer is an
// overflow where nobody can say better.
constexpr std::uintptr_t near_stack_bytes = 64 * 1024;
constexpr unsigned unwinding_seconds_max = 3;

// Not `_exit`: in a process that hosts programs that ends the rank which is running.
[[noreturn]] void leave_process() {
  for (;;) syscall(SYS_exit_group, CrashReporter::exit_status);
}

// A signal handler has no other way to learn for whom it works.
struct Handler {
  CrashReport* report = nullptr;
  volatile sig_atomic_t is_dying = 0;
};
Handler handler;

struct Walk {
  CrashReport* report;
  bool is_past_signal;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  CrashReport& report = *walk.report;
  const std::uintptr_t pc = _Unwind_GetIP(context);
  if (pc == 0) return _URC_END_OF_STACK;
  if (!walk.is_past_signal) {
    // The first frames are the handler's own; the interrupted one has the reported counter.
    walk.is_past_signal = pc == report.program_counter;
    return _URC_NO_REASON;
  }
  const std::uint32_t count = report.frame_count.load(std::memory_order_relaxed);
  if (count == CrashReport::frames_max) return _URC_END_OF_STACK;
  report.frames[count] = pc;
  report.frame_count.store(count + 1, std::memory_order_release);
  return _URC_NO_REASON;
}

std::uintptr_t register_of(const ucontext_t& context, int index) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[index]);
}

bool is_near(std::uintptr_t address, std::uintptr_t stack_pointer) {
  const std::uintptr_t distance =
      address < stack_pointer ? stack_pointer - address : address - stack_pointer;
  return distance < near_stack_bytes;
}

void describe_task(CrashReport& report, const detail::Task& task) {
  report.task = task.id.value;
  const std::size_t count = std::min(task.name.size(), report.task_name.size() - 1);
  std::memcpy(report.task_name.data(), task.name.data(), count);
  report.task_name[count] = '\0';
  report.stack_bytes = task.fiber->stack_bytes;
}

bool has_address(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

void on_fatal_signal(int signal, siginfo_t* info, void* raw_context) {
  // A second fault, in the unwinder: the report is good without a backtrace.
  if (handler.is_dying != 0) leave_process();
  handler.is_dying = 1;
  const auto& context = *static_cast<ucontext_t*>(raw_context);
  CrashReport& report = *handler.report;
  report.signal = signal;
  report.code = info->si_code;
  report.is_hang = signal == SIGALRM;
  report.program_counter = register_of(context, REG_RIP);
  if (has_address(signal)) report.fault_address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  auto* const machine = detail::Machine::current();
  const bool runs_task = machine != nullptr && machine->has_running();
  if (runs_task) describe_task(report, machine->running());
  if (signal == SIGSEGV || signal == SIGBUS) {
    report.is_stack_overflow =
        runs_task ? machine->fibers().is_in_guard(*machine->running().fiber, report.fault_address)
                  : is_near(report.fault_address, register_of(context, REG_RSP));
  }
  report.frame_count = 0;
  report.is_filled.store(1, std::memory_order_release);

  // The unwinder may wait for a lock that the interrupted code holds.
  ::signal(SIGALRM, [](int) { leave_process(); });
  alarm(unwinding_seconds_max);
  Walk walk{&report, false};
  _Unwind_Backtrace(take_frame, &walk);
  leave_process();
}

_Unwind_Reason_Code ignore_frame(_Unwind_Context*, void*) {
  return _URC_END_OF_STACK;
}

struct sigaction action_of_ours() {
  struct sigaction action = {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

void CrashReport::clear() {
  is_filled = 0;
  signal = 0;
  code = 0;
  task = no_task;
  task_name.fill('\0');
  broken_invariant.fill('\0');
  stack_bytes = 0;
  is_stack_overflow = false;
  is_hang = false;
  fault_address = 0;
  program_counter = 0;
  frame_count = 0;
}

/// What was there before.
struct CrashReporter::Saved {
  std::array<struct sigaction, fatal_signals.size()> actions{};
  struct sigaction alarm_action = {};
  stack_t stack{};
  void* own_stack = nullptr;
  bool is_watching = false;
};

CrashReporter::CrashReporter(CrashReport& report) : saved_(std::make_unique<Saved>()) {
  handler = {&report, 0};
  detail::set_invariant_sink(report.broken_invariant.data(), report.broken_invariant.size());
  // The first call of the unwinder may load a library and allocate: not when it is too late.
  _Unwind_Backtrace(ignore_frame, nullptr);
  saved_->own_stack = mmap(nullptr, alternate_stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (saved_->own_stack == MAP_FAILED) {
    throw UsageError(
        std::string("no memory for the stack of the signal handlers: ") + std::strerror(errno),
        "crash reporter", "raise the limit on virtual memory, or use fewer jobs");
  }
  stack_t stack{};
  stack.ss_sp = saved_->own_stack;
  stack.ss_size = alternate_stack_bytes;
  sigaltstack(&stack, &saved_->stack);
  const struct sigaction action = action_of_ours();
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    sigaction(fatal_signals[i], &action, &saved_->actions[i]);
  }
}

CrashReporter::~CrashReporter() {
  detail::set_invariant_sink(nullptr, 0);
  disarm_watchdog();
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    sigaction(fatal_signals[i], &saved_->actions[i], nullptr);
  }
  sigaltstack(&saved_->stack, nullptr);
  munmap(saved_->own_stack, alternate_stack_bytes);
}

void CrashReporter::arm_watchdog(VirtualDuration real_time) {
  if (!saved_->is_watching) {
    const struct sigaction action = action_of_ours();
    sigaction(SIGALRM, &action, &saved_->alarm_action);
    saved_->is_watching = true;
  }
  constexpr std::int64_t picoseconds_per_microsecond = 1'000'000;
  constexpr std::int64_t microseconds_per_second = 1'000'000;
  const std::int64_t microseconds =
      std::max<std::int64_t>(1, real_time.picoseconds() / picoseconds_per_microsecond);
  itimerval timer{};
  timer.it_value.tv_sec = microseconds / microseconds_per_second;
  timer.it_value.tv_usec = microseconds % microseconds_per_second;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void CrashReporter::disarm_watchdog() {
  if (!saved_->is_watching) return;
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  sigaction(SIGALRM, &saved_->alarm_action, nullptr);
  saved_->is_watching = false;
}

}  // namespace orrery
