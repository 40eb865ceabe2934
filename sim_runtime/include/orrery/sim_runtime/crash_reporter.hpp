// What a process that is about to die still says.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/object_place.hpp>
#include <orrery/sim_runtime/run_progress.hpp>

namespace orrery {

/// How a process died: filled in by the dying process, in memory that another one can read (a
/// shared mapping).  Plain data, all zero before; the numbers of signals are the system's.
struct CrashReport {
  static constexpr std::size_t frames_max = 48;
  static constexpr std::size_t objects_max = 24;
  static constexpr std::size_t findings_bytes = std::size_t{32} * 1024;

  std::atomic<std::uint32_t> is_filled{0};    ///< set last; without it nothing here means anything
  std::int32_t signal = 0;                    ///< SIGSEGV, SIGABRT, ...; SIGALRM: the watchdog
  std::int32_t code = 0;                      ///< si_code
  TaskLabel task;                             ///< the simulated task that ran
  std::uint64_t stack_bytes = 0;              ///< and the size of its stack
  bool is_stack_overflow = false;             ///< the fault lies just below the stack in use
  bool is_hang = false;                       ///< the watchdog: a task ran on without a call
  std::uintptr_t fault_address = 0;           ///< si_addr, for the signals that have one
  std::uintptr_t program_counter = 0;         ///< of the faulting instruction; 0: see `frames`
  std::array<char, 1024> broken_invariant{};  ///< what we said if it was a bug of ours; else empty
  std::array<char, 48> memory_error{};  ///< AddressSanitizer's name for it, if it said so; or empty
  std::uint64_t access_bytes = 0;       ///< and what was accessed; 0: it was no access
  bool is_write = false;
  /// Return addresses, innermost first, without `program_counter`; best effort.
  std::array<std::uintptr_t, frames_max> frames{};
  std::atomic<std::uint32_t> frame_count{0};
  /// What the addresses above lie in: whoever reads this may have it elsewhere, or not at all.
  std::array<ObjectPlace, objects_max> objects{};
  std::atomic<std::uint32_t> object_count{0};
  /// What `CrashReporter::tell_findings` gave; empty: nothing, or there was no room or time for it.
  std::array<char, findings_bytes> findings{};

  /// Ready for the next run.
  void clear();
  /// Where the code at this address of the dying process lies in the calling one; 0: nowhere.
  [[nodiscard]] std::uintptr_t here(std::uintptr_t address) const;
};

/// What becomes of AddressSanitizer's own text on standard error, which is pages long and takes a
/// while to put together.
enum class MemoryReports { kept_quiet, printed };

/// While it lives, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGTRAP of this process fill in
/// the report, on a stack of their own, and end the process with `exit_status`: no handler of the
/// C library's `exit` runs.  So do AddressSanitizer's reports, where it is in the process.  For
/// forked workers with one thread; one at a time.  The former handlers and alternate stack are put
/// back by the destructor.
///
///     orrery::CrashReporter reporter(shared.report);   // in the forked child
///     reporter.arm_watchdog(limit);
///     run();                                           // the parent reads the report if it dies
///     reporter.disarm_watchdog();
class CrashReporter {
 public:
  /// Status of a process that died and left a report.
  static constexpr int exit_status = 113;

  explicit CrashReporter(CrashReport& report,
                         MemoryReports memory_reports = MemoryReports::kept_quiet);
  ~CrashReporter();
  CrashReporter(const CrashReporter&) = delete;
  CrashReporter& operator=(const CrashReporter&) = delete;

  /// Asked first when a signal comes, within its handler: true if the program has dealt with it
  /// itself, and goes on.  `info` and `context` are what a `sigaction` handler gets.  Null: nobody
  /// is asked.
  using FaultFilter = bool (*)(int signal, void* info, void* context);
  static void set_fault_filter(FaultFilter filter);

  /// What else the dying process has to say, as a text that its reader understands: a race that led
  /// to the fault.  Asked within the handler, when all else is written down, where `settle` allows
  /// it.
  void tell_findings(std::function<std::string()> findings);
  /// Asked before that: completes what is known of the run.  False: the fault was in our own code,
  /// which may have left anything in the midst of a change.  Null: nobody is asked.
  using Settle = bool (*)();
  static void set_settle(Settle settle);

  /// After this much real time the process reports where it is (`is_hang`) and ends.  For tasks
  /// that never call the runtime, which alone looks at the wall limit of a run: give it a little
  /// more than that limit.  Arming again starts anew; SIGALRM and ITIMER_REAL are used.
  void arm_watchdog(VirtualDuration real_time);
  /// From now on SIGALRM, from whoever watches the process, has it report so and end.
  void report_on_alarm();
  void disarm_watchdog();

 private:
  struct Saved;
  void listen_to_sanitizer();
  std::unique_ptr<Saved> saved_;
};

}  // namespace orrery
