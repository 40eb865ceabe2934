#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>

#include "address_sanitizer.hpp"
#include "careful_access.hpp"
#include "loaded_objects.hpp"
#include "machine.hpp"

namespace orrery {
namespace {

constexpr std::array fatal_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
// The unwinder uses some 10 KiB of the alternate stack; a program's own handler runs there, too,
// and so does what the machine does for it: looking up its lines takes 150 KiB.
constexpr std::size_t alternate_stack_bytes = std::size_t{1} << 20U;
constexpr std::size_t guard_bytes = 4096;
// A large frame may jump past the guard page: a fault this near to the stack pointer is an
// overflow where nobody can say better.
constexpr std::uintptr_t near_stack_bytes = 64 * 1024;
constexpr unsigned unwinding_seconds_max = 3;
constexpr unsigned printing_seconds_max = 60;

// Neither `_exit` nor `syscall`: in a process that hosts programs these end the rank which is
// running.
[[noreturn]] void leave_process() {
  for (;;) {
    asm volatile("syscall"
                 :
                 : "a"(SYS_exit_group), "D"(CrashReporter::exit_status)
                 : "rcx", "r11", "memory");
  }
}

// A signal handler has no other way to learn for whom it works.
struct Handler {
  CrashReport* report = nullptr;
  MemoryReports memory_reports = MemoryReports::kept_quiet;
  volatile sig_atomic_t is_dying = 0;
  const std::function<std::string()>* findings = nullptr;
};
Handler handler;

// The unwinder asks the loader in the same way: it can be asked even now.
void note_object(CrashReport& report, std::uintptr_t address) {
  const std::uint32_t count = report.object_count.load(std::memory_order_relaxed);
  const auto known = std::span(report.objects).first(count);
  const bool is_known = std::ranges::any_of(
      known, [&](const ObjectPlace& object) { return object.contains(address); });
  if (is_known || count == CrashReport::objects_max) return;
  if (!detail::find_object_place(address, report.objects[count])) return;
  report.object_count.store(count + 1, std::memory_order_release);
}

struct Walk {
  CrashReport* report;
  std::uintptr_t innermost;  ///< frames down to this one are the handler's own
  bool is_past_innermost;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  CrashReport& report = *walk.report;
  const std::uintptr_t pc = _Unwind_GetIP(context);
  if (pc == 0) return _URC_END_OF_STACK;
  if (!walk.is_past_innermost) {
    walk.is_past_innermost = pc == walk.innermost;
    return _URC_NO_REASON;
  }
  const std::uint32_t count = report.frame_count.load(std::memory_order_relaxed);
  if (count == CrashReport::frames_max) return _URC_END_OF_STACK;
  report.frames[count] = pc;
  report.frame_count.store(count + 1, std::memory_order_release);
  note_object(report, pc - 1);
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

/// The machine of the task that runs, if one does.
detail::Machine* running_machine() {
  auto* const machine = detail::Machine::current();
  return machine != nullptr && machine->has_running() ? machine : nullptr;
}

bool has_address(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

/// Who ran, and the frames outside of `innermost`.
void fill_in_the_rest(CrashReport& report, std::uintptr_t innermost) {
  if (auto* const machine = running_machine()) {
    detail::Machine::describe(machine->running(), report.task);
    report.stack_bytes = machine->running().fiber->stack_bytes;
    machine->leave_progress();
  }
  report.frame_count = 0;
  report.object_count = 0;
  report.is_filled.store(1, std::memory_order_release);
  // The unwinder may wait for a lock that the interrupted code holds.
  ::signal(SIGALRM, [](int) { leave_process(); });
  alarm(unwinding_seconds_max);
  Walk walk{&report, innermost, false};
  note_object(report, report.program_counter);
  note_object(report, report.task.start_function);
  _Unwind_Backtrace(take_frame, &walk);
}

// Of the process, not of a reporter: a host of programs sets it once.
CrashReporter::FaultFilter fault_filter = nullptr;
CrashReporter::Settle settle_run = nullptr;

void tell_findings(CrashReport& report) {
  if (handler.findings == nullptr || (settle_run != nullptr && !settle_run())) return;
  alarm(unwinding_seconds_max);  // anew
  const std::string text = (*handler.findings)();
  if (text.size() >= report.findings.size()) return;
  std::memcpy(report.findings.data(), text.c_str(), text.size() + 1);
}

void on_fatal_signal(int signal, siginfo_t* info, void* raw_context) {
  if (detail::resume_careful_access(raw_context)) return;
  if (handler.is_dying == 0 && fault_filter != nullptr && fault_filter(signal, info, raw_context)) {
    return;
  }
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
  if (signal == SIGSEGV || signal == SIGBUS) {
    auto* const machine = running_machine();
    report.is_stack_overflow =
        machine != nullptr
            ? machine->fibers().is_in_guard(*machine->running().fiber, report.fault_address)
            : is_near(report.fault_address, register_of(context, REG_RSP));
  }
  fill_in_the_rest(report, report.program_counter);
  const bool has_jumped = has_address(signal) && report.fault_address == report.program_counter;
  if (has_jumped && report.frame_count == 0) {
    // A call of what is no function: only the return address says from where.
    report.frames[0] = *reinterpret_cast<const std::uintptr_t*>(register_of(context, REG_RSP));
    report.frame_count = 1;
    note_object(report, report.frames[0] - 1);
  }
  if (!report.is_hang && !report.is_stack_overflow) tell_findings(report);
  leave_process();
}

/// In the midst of the code at fault, before AddressSanitizer says anything.
void on_memory_error(std::uintptr_t innermost) {
  if (handler.report == nullptr) {
    if (running_machine() != nullptr) orrery_finding("crash", __asan_get_report_description());
    return;
  }
  if (handler.is_dying != 0) return;
  handler.is_dying = 1;
  CrashReport& report = *handler.report;
  report.signal = SIGABRT;
  const char* const name = __asan_get_report_description();
  for (std::size_t i = 0; i + 1 < report.memory_error.size() && name[i] != '\0'; ++i) {
    report.memory_error[i] = name[i];
  }
  report.fault_address = reinterpret_cast<std::uintptr_t>(__asan_get_report_address());
  report.access_bytes = __asan_get_report_access_size();
  report.is_write = __asan_get_report_access_type() != 0;
  fill_in_the_rest(report, innermost);
  if (handler.memory_reports == MemoryReports::kept_quiet) leave_process();
  alarm(printing_seconds_max);
}

/// Also where another definition of `__asan_on_error` has stood before ours.
void on_printed_memory_error(const char* /*text*/) {
  on_memory_error(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  leave_process();
}

void send_memory_reports_to(int file) {
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(file)));
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
  task = {};
  broken_invariant.fill('\0');
  stack_bytes = 0;
  is_stack_overflow = false;
  is_hang = false;
  fault_address = 0;
  program_counter = 0;
  memory_error = {};
  access_bytes = 0;
  is_write = false;
  frame_count = 0;
  object_count = 0;
  findings[0] = '\0';
}

std::uintptr_t CrashReport::here(std::uintptr_t address) const {
  const std::size_t count = std::min<std::size_t>(object_count, objects_max);
  return detail::address_here(std::span(objects).first(count), address);
}

/// What was there before.
struct CrashReporter::Saved {
  std::array<struct sigaction, fatal_signals.size()> actions{};
  struct sigaction alarm_action = {};
  stack_t stack{};
  void* own_stack = nullptr;
  int nowhere = -1;  // what AddressSanitizer writes to that shall be quiet
  bool is_watching = false;
  std::function<std::string()> findings;
};

void CrashReporter::listen_to_sanitizer() {
  __asan_set_error_report_callback(on_printed_memory_error);
  if (handler.memory_reports == MemoryReports::printed) return;
  saved_->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (saved_->nowhere >= 0) send_memory_reports_to(saved_->nowhere);
}

CrashReporter::CrashReporter(CrashReport& report, MemoryReports memory_reports)
    : saved_(std::make_unique<Saved>()) {
  handler = {&report, memory_reports, 0, nullptr};
  detail::set_invariant_sink(report.broken_invariant.data(), report.broken_invariant.size());
  if (__asan_set_error_report_callback != nullptr) listen_to_sanitizer();
  // The first call of the unwinder may load a library and allocate: not when it is too late.
  _Unwind_Backtrace(ignore_frame, nullptr);
  saved_->own_stack = mmap(nullptr, guard_bytes + alternate_stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (saved_->own_stack == MAP_FAILED) {
    throw UsageError(
        std::string("no memory for the stack of the signal handlers: ") + std::strerror(errno),
        "crash reporter", "raise the limit on virtual memory, or use fewer jobs");
  }
  mprotect(saved_->own_stack, guard_bytes, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = static_cast<std::byte*>(saved_->own_stack) + guard_bytes;
  stack.ss_size = alternate_stack_bytes;
  sigaltstack(&stack, &saved_->stack);
  const struct sigaction action = action_of_ours();
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    sigaction(fatal_signals[i], &action, &saved_->actions[i]);
  }
  detail::set_resumes_careful_accesses(true);
}

CrashReporter::~CrashReporter() {
  detail::set_resumes_careful_accesses(false);
  detail::set_invariant_sink(nullptr, 0);
  disarm_watchdog();
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(nullptr);
  if (saved_->nowhere >= 0) {
    send_memory_reports_to(STDERR_FILENO);
    close(saved_->nowhere);
  }
  handler.report = nullptr;
  handler.findings = nullptr;
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    sigaction(fatal_signals[i], &saved_->actions[i], nullptr);
  }
  sigaltstack(&saved_->stack, nullptr);
  munmap(saved_->own_stack, guard_bytes + alternate_stack_bytes);
}

void CrashReporter::set_fault_filter(FaultFilter filter) {
  fault_filter = filter;
}

void CrashReporter::tell_findings(std::function<std::string()> findings) {
  saved_->findings = std::move(findings);
  handler.findings = &saved_->findings;
}

void CrashReporter::set_settle(Settle settle) {
  settle_run = settle;
}

void CrashReporter::report_on_alarm() {
  if (std::exchange(saved_->is_watching, true)) return;
  const struct sigaction action = action_of_ours();
  sigaction(SIGALRM, &action, &saved_->alarm_action);
}

void CrashReporter::arm_watchdog(VirtualDuration real_time) {
  report_on_alarm();
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

// AddressSanitizer calls it as soon as it knows of an error.  Weak: a program may have its own.
extern "C" [[gnu::weak]] void __asan_on_error();
// Defined by whoever hosts programs: from here on none of their code runs in this process.
extern "C" [[gnu::weak]] void orrery_program_is_dying();
extern "C" void __asan_on_error() {
  if (orrery_program_is_dying != nullptr) orrery_program_is_dying();
  orrery::on_memory_error(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
