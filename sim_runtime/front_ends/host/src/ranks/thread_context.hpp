// What a thread has from the C and C++ libraries, for each simulated thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pthread.h>
#include <semaphore.h>
#include <unwind.h>

#include <orrery/sim_runtime/runtime_table.h>

#include "cancellation.hpp"

namespace orrery::host {

class RankContext;
class ThreadArena;

/// A function to be called at an end, as the C++ ABI hands it over.
struct ExitHandler {
  void (*function)(void*);
  void* argument;
};
/// Last first; a handler may add another one.
void call_all(std::vector<ExitHandler>& handlers);

/// A C function's frame that wants to be told when a thread leaves it: what `pthread_cleanup_push`
/// makes of `struct __pthread_unwind_buf_t`, which holds the address of the one before it.
using CleanupFrame = __pthread_unwind_buf_t;

/// A thread of a rank, from `pthread_create` (or the start of the rank) to the end of the run.
/// Does the record of a run have what calls came to that look at the system, and the contents that
/// some of them gave, too?  As logs have it.
enum class AnswersKept : std::uint8_t { none, results, contents };

class ThreadContext {
 public:
  explicit ThreadContext(RankContext& rank, pthread_t handle)
      : rank_(&rank), handle_(handle), shown_handle_(handle) {}
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;

  [[nodiscard]] RankContext& rank() const { return *rank_; }
  /// Its number among the rank's, from 1 on.
  [[nodiscard]] pthread_t handle() const { return handle_; }
  /// What the program has of it.
  [[nodiscard]] pthread_t shown_handle() const { return shown_handle_; }
  /// As its starter's how many-th it was started, and that as whose ...: `0.2`.  `main`'s is `0`.
  [[nodiscard]] const std::string& path() const { return path_; }
  void start_as_next_of(ThreadContext& starter) {
    path_ = starter.path_ + "." + std::to_string(starter.started_++);
    starter_ = &starter;
  }
  /// Null: it is the first one, or a helper.
  [[nodiscard]] const ThreadContext* starter() const { return starter_; }
  /// Have there been several threads, as far as it can know?
  [[nodiscard]] bool has_had_others() const { return starter_ != nullptr || started_ > 0; }
  void show_as(pthread_t handle) { shown_handle_ = handle; }

  OrreryThread number = 0;  ///< the runtime's
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool is_detached = false;
  bool is_joined = false;
  bool has_ended = false;
  bool is_helper = false;  ///< it works for other threads, and does not outlive them
  OrreryThreadBody helper_body = nullptr;  ///< of one that works for a front end

  std::vector<ExitHandler> exit_handlers;  ///< destructors of its thread-local variables
  std::vector<void*> specific;             ///< its values of the program's keys
  std::vector<void*> library_specific;     ///< of keys of its libraries
  /// By block, while another thread has them in place; empty: as when it began.
  std::vector<std::vector<std::byte>> static_thread_locals;

  std::int64_t last_now = -1;     ///< what it has last read off a clock
  std::uint32_t now_repeats = 0;  ///< how often that came again

  void* openmp = nullptr;        ///< what OpenMP knows of it
  ThreadArena* arena = nullptr;  ///< of the program's memory; null: it has the rank's
  bool keeps_sequences = false;  ///< `are_sequences_kept`
  bool keeps_transfers = false;  ///< `are_transfers_kept`
  bool keeps_signals = false;    ///< `are_signals_kept`
  /// Of those that `recorded_handlers` has: so many are still to come.
  std::uint64_t handlers_to_come = 0;
  AnswersKept answers_kept = AnswersKept::none;

  Cancellation cancellation;
  bool is_leaving = false;  ///< by pthread_exit, or cancelled
  CleanupFrame* cleanup_frames = nullptr;
  std::uintptr_t stack_line = 0;   ///< see `call_at_line`
  std::uintptr_t first_frame = 0;  ///< below it lie the frames of the thread's own function
  _Unwind_Exception end{};         ///< what its frames are left for; not on the stack that is left
  void* start[5] = {};             ///< of __builtin_setjmp, in the frame above them

  /// The block of a module's thread-local variables that is this thread's.
  void* thread_local_block(std::size_t module);
  /// The module is as it was when it had been loaded.
  void forget_thread_locals(std::size_t module);

 private:
  RankContext* rank_;
  pthread_t handle_;
  pthread_t shown_handle_;
  std::string path_ = "0";
  const ThreadContext* starter_ = nullptr;
  unsigned started_ = 0;
  std::vector<void*> blocks_;  ///< by module, less the first that is not common to all threads
};

/// Of `sem_open`.
struct NamedSemaphore {
  std::string name;
  bool is_linked = true;
  sem_t semaphore{};
};

/// The module ids of the loader up to here belong to libraries that were there before the first
/// program: their thread-local variables are common to all simulated threads.
void remember_common_modules();
/// Was the module loaded after them, by its id?
bool is_later_module(std::size_t module);
/// Where the loader has the variables of a module for this thread of the system.
std::byte* system_thread_block(std::size_t module);
/// Has a program been loaded, or is one being loaded?
bool has_programs();
/// Does the address lie in the host, or a library that it has in common with the programs?  What
/// lies there outlives a run.
bool is_in_common_module(const void* address);

}  // namespace orrery::host
