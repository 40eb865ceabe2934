// Threads, and what they synchronise with, for programs that know nothing of us.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "program_objects.hpp"

namespace orrery {
class Mutex;
class RwLock;
}  // namespace orrery

namespace orrery::detail {

/// What the table of C functions says of threads, locks and the like, for the running task: POSIX
/// semantics over the machine's own objects, which it finds by the addresses of the program's.
/// Results are 0 or error numbers.
class ProgramThreads {
 public:
  explicit ProgramThreads(Machine& machine) : machine_(&machine) {}
  /// Ends all objects: between two runs.
  void reset() {
    objects_.clear();
    robust_held_.clear();
  }

  OrreryThread start(OrreryThreadBody body, void* argument, std::uintptr_t function,
                     std::uintptr_t pc);
  OrreryThread start_helper(OrreryThreadBody body, void* argument, const char* name,
                            std::uintptr_t pc);
  int join(OrreryThread thread, std::int64_t deadline, std::uintptr_t pc);
  void detach(OrreryThread thread);
  void name(OrreryThread thread, const char* name);
  [[noreturn]] void end();
  void stack(OrreryThread thread, void** bottom, std::size_t* size_bytes) const;
  void visible_call(std::uint64_t which, std::uintptr_t pc);

  int lock(void* address, std::uint32_t flags, OrreryLockMode mode, std::int64_t deadline,
           std::uintptr_t pc);
  int unlock(void* address, std::uint32_t flags, std::uintptr_t pc);
  int make_consistent(void* address);
  int wait(void* condition, void* mutex, std::uint32_t mutex_flags, std::int64_t deadline,
           std::uintptr_t pc);
  void notify(void* condition, bool all, std::uintptr_t pc);
  int lock_shared_or_not(void* address, std::uint32_t mode_bits, std::int64_t deadline,
                         std::uintptr_t pc);
  int unlock_shared_or_not(void* address, std::uintptr_t pc);
  void set_semaphore(void* address, std::uint64_t count);
  int acquire(void* address, OrreryLockMode mode, std::int64_t deadline, std::uintptr_t pc);
  void release(void* address, std::uintptr_t pc);
  std::uint64_t count(void* address);
  void set_barrier(void* address, std::uint32_t participants);
  bool arrive(void* address, std::uintptr_t pc);
  bool begin_once(void* address, bool is_marked, std::uintptr_t pc);
  void pass_once(void* address);
  void end_once(void* address, bool succeeded, std::uintptr_t pc);
  int wait_on_word(void* word, std::uint32_t expected, std::uint32_t bits, std::int64_t deadline,
                   std::int32_t is_programs, std::uintptr_t pc);
  int wake_word(void* word, int count, std::uint32_t bits, void* moved_to, int moved_count,
                std::int32_t is_programs, std::uintptr_t pc);
  void destroy(void* address, std::uintptr_t pc);

  // The same for a thread that is alone (program_threads_alone.cpp).  False: it is not, or there is
  // more to do, and nothing has happened.
  bool lock_alone(void* address, std::uintptr_t pc);
  bool unlock_alone(void* address);
  bool lock_shared_or_not_alone(void* address, std::uint32_t mode_bits, std::uintptr_t pc);
  bool unlock_shared_or_not_alone(void* address);
  bool notify_alone(void* address);
  bool acquire_alone(void* address);
  bool release_alone(void* address);
  void forget(void* address) { objects_.forget(address); }

 private:
  Mutex& mutex(void* address, std::uint32_t flags);
  [[gnu::noinline]] Mutex& new_mutex(void* address, std::uint32_t flags);
  RwLock& rw_lock(void* address);
  /// What the thread that has just got it is to be told: 0, or that the one before it has died.
  int taken(Mutex& mutex);
  /// The thread that holds it will not, from its next operation on.
  void about_to_give_back(Mutex& mutex);

  struct RobustlyHeld {
    TaskId task;
    Mutex* mutex;
  };

  Machine* machine_;
  ProgramObjects objects_;
  std::vector<RobustlyHeld> robust_held_;  ///< in the order in which they were taken
};

}  // namespace orrery::detail
