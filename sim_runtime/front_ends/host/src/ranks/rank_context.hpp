// What a process has from the C and C++ libraries, for each rank.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <ios>
#include <memory>
#include <string>
#include <vector>

#include <orrery/sim_runtime/computing_time.hpp>
#include <orrery/sim_runtime/runtime_table.h>

#include "passed_guards.hpp"
#include "programs/program_hooks.hpp"
#include "start_memory.hpp"
#include "thread_context.hpp"
#include "thread_keys.hpp"

namespace orrery::host {

class ProgramCopy;
class ProgramLibraries;

/// The libraries' state of one rank.  Their variables are common to all; so they are exchanged
/// when a rank's code goes on (`resume`) and another one's are there, and when it calls the runtime
/// (`suspend`) and the host itself may be next to use them:
///   * `stdout`, `stderr`, `stdin`: streams of the rank's own, whose text goes to the runtime;
///   * `optind`, `opterr`, `optopt`, `optarg` (what getopt keeps within one argument such as
///     `-abc` is common, and reset when a rank starts);
///   * `program_invocation_name` and its short form;
///   * the number format of std::cout.
/// Others are the rank's own because their functions are interposed (`interposed.list`): rand,
/// random, drand48 and their kin, strtok, the clock, handlers of exit.
/// Open files and the working directory are in `UserFiles`.
/// Not kept apart: the environment, locale,
/// `localtime`'s and its like's results, state of the program's own shared libraries.
class RankContext {
 public:
  RankContext(std::int32_t rank, ProgramCopy& copy, ProgramLibraries& libraries)
      : rank_(rank), copy_(&copy), libraries_(&libraries) {}
  ~RankContext();
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  /// Everything as in a process that has just started.
  void restart(const std::vector<std::string>& arguments);
  void resume();   ///< no effect if they are in place
  void suspend();  ///< no effect if they are not

  [[nodiscard]] std::int32_t rank() const { return rank_; }
  [[nodiscard]] ProgramCopy& copy() const { return *copy_; }
  [[nodiscard]] ProgramLibraries& libraries() const { return *libraries_; }
  [[nodiscard]] int argument_count() const { return static_cast<int>(argv_.size()) - 1; }
  [[nodiscard]] char** arguments() { return argv_.data(); }
  /// As `main` finds it.
  StartMemory start_memory;

  /// To be called when the rank ends.
  std::vector<ExitHandler> exit_handlers;

  std::deque<ThreadContext> threads;  ///< all that this run has had; the first runs `main`
  ThreadKeys keys;
  PassedGuards passed_guards;
  std::deque<NamedSemaphore> named_semaphores;
  std::shared_ptr<void> signals;  ///< a `ProgramSignals`, once it uses them
  std::shared_ptr<void> openmp;   ///< what OpenMP knows of it, once it uses that

  random_data random_state;
  drand48_data drand48_state;
  char* strtok_position = nullptr;
  std::uintptr_t last_throw = 0;  ///< where the last exception was thrown
  std::string loader_message;     ///< what `dlerror` has to say, of what the host refuses
  std::string last_words;         ///< the finding's message, which outlives the rank's stack
  const char* last_error_file = nullptr;  ///< what `error_at_line` was called for
  unsigned last_error_line = 0;

 private:
  struct Stream {
    std::FILE* file = nullptr;
    int number = 0;
    bool is_open = false;
    bool is_discarding = false;
    /// As large as stdio's own for a terminal: programs may print a lot, in short lines.  Not
    /// stdio's, which would come from the program's memory and go with it.
    char buffer[1024];
  };
  static ssize_t write_text(void* stream, const char* text, std::size_t size);
  static int close_stream(void* stream);
  static void renew(Stream& stream, int number);
  static void discard(Stream& stream);

  void exchange_for_own();
  void exchange_for_hosts();

  std::int32_t rank_;
  ProgramCopy* copy_;
  ProgramLibraries* libraries_;  ///< which all ranks have in common
  std::vector<std::string> argument_text_;
  std::vector<char*> argv_;
  Stream output_;
  Stream errors_;
  char random_table_[128];

  // What the variables hold while the rank does not run, and what they held before it ran.
  struct LibraryVariables {
    std::FILE* output;
    std::FILE* errors;
    std::FILE* input;
    int option_index;
    int option_errors;
    int option;
    char* option_argument;
    char* program_name;
    char* short_program_name;
    std::ios_base::fmtflags format;
    std::streamsize precision;
    std::streamsize width;
    void take();
    void put() const;
  };
  LibraryVariables own_{};
  LibraryVariables host_{};
};

/// Who runs on this thread: C functions have no other way to learn it.
///
/// While `user` is set, memory that the C++ library allocates is the program's, and gone with the
/// run: host code that keeps something of its own in strings or containers does so in a `HostScope`
/// or behind a `RuntimeGuard`.
struct Running {
  RankContext* user = nullptr;      ///< whose code runs; null within the runtime and the host
  ThreadContext* thread = nullptr;  ///< which of its threads
  RankContext* in_place = nullptr;  ///< whose variables the libraries have; null: the host's
  ThreadContext* thread_in_place = nullptr;  ///< whose thread-local variables have a fixed place
  /// Are they exchanged for the host's at each call?  Not where nobody watches.
  bool exchanges = true;
  bool has_signals = false;  ///< may a thread have one coming, when it comes back from a call?
  const OrreryRuntime* runtime = nullptr;
  OrreryExit front_end_exit = nullptr;
  ProgramHooks* hooks = nullptr;  ///< of the program that runs
  ComputingTime computing;
  std::uint64_t blocks = 0;            ///< executed since `ComputingScope` was left
  std::int64_t processor_time_ns = 0;  ///< of the thread, at that moment; where it is measured
  bool is_charged = false;             ///< for all up to the visible operation that comes next
};
// Asked at each call of malloc: without a detour, which only a library loaded late would need.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Running running_on_this_thread;
inline Running& running() {
  return running_on_this_thread;
}
/// Is it the host's code that calls, not a program's?
inline bool is_host() {
  return running().user == nullptr;
}

inline void RankContext::resume() {
  if (running().in_place != this) exchange_for_own();
}
inline void RankContext::suspend() {
  if (running().in_place == this) exchange_for_hosts();
}

/// Before the thread's own code goes on: its thread-local variables come into their places.
void put_in_place(ThreadContext& thread);

/// What is allocated within belongs to the host.  Gives way to nobody: the rank's streams stay.
class HostScope {
 public:
  HostScope() : user_(running().user) { running().user = nullptr; }
  ~HostScope() { running().user = user_; }
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;

 private:
  RankContext* user_;
};

/// From a rank's code into the runtime, and back.
class RuntimeGuard {
 public:
  enum class Libraries : std::uint8_t { as_needed, of_the_host };
  explicit RuntimeGuard(Libraries libraries = Libraries::as_needed)
      : user_(running().user), thread_(running().thread) {
    if (user_ == nullptr) return;
    error_ = errno;
    running().user = nullptr;
    if (running().exchanges || libraries == Libraries::of_the_host) user_->suspend();
    if (running().hooks != nullptr) running().hooks->tell_accesses();
  }
  ~RuntimeGuard() {
    if (user_ == nullptr) return;
    user_->resume();
    if (running().thread_in_place != thread_) put_in_place(*thread_);
    running().user = user_;
    running().thread = thread_;
    errno = error_;
  }
  RuntimeGuard(const RuntimeGuard&) = delete;
  RuntimeGuard& operator=(const RuntimeGuard&) = delete;

 private:
  RankContext* user_;
  ThreadContext* thread_;
  int error_ = 0;
};

/// Around a visible operation: charges the rank for what it has computed since the last one, and
/// begins to count anew when it goes on.
class ComputingScope {
 public:
  explicit ComputingScope(std::uintptr_t program_counter) {
    if (running().computing.method != ComputingTime::Method::none) charge(program_counter);
  }
  ~ComputingScope() {
    if (running().computing.method != ComputingTime::Method::none) begin();
  }
  ComputingScope(const ComputingScope&) = delete;
  ComputingScope& operator=(const ComputingScope&) = delete;

  /// Charges now for the visible operation that comes next.  Others may run meanwhile: who tells
  /// the runtime what the program's memory holds calls this before looking.
  static void charge_ahead(std::uintptr_t program_counter);
  /// Counts from here on.
  static void begin();

 private:
  static void charge(std::uintptr_t program_counter);
};

/// The table that front ends and interposed functions call: that of `running()`, each function
/// behind a `RuntimeGuard`.
const OrreryRuntime& guarded_runtime();

/// In a rank's code, and first of all: has the short form of a call (`mutex_lock_alone` and its
/// kin) done it?  `is_done_alone<&OrreryRuntime::mutex_lock_alone>(mutex, place)`.  It is not tried
/// where something is to be done around each call.
template <auto Alone, typename... Arguments>
bool is_done_alone(Arguments... arguments) {
  const Running& now = running();
  if (now.has_signals || now.computing.method != ComputingTime::Method::none) return false;
  return (now.runtime->*Alone)(arguments...) != 0;
}

/// Ends the calling rank at once, as `_exit` does.
[[noreturn]] void end_rank(int status, std::uintptr_t program_counter);
/// Ends the calling rank as `exit` does: handlers, destructors, text, then the runtime.
[[noreturn]] void exit_rank(int status, std::uintptr_t program_counter);

}  // namespace orrery::host
