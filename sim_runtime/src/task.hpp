// What the machine knows of one simulated thread and one simulated process.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

#include "agenda.hpp"
#include "fiber_pool.hpp"

namespace orrery::detail {

/// How a task that cannot end by itself is ended: by an exception that runs its destructors, or by
/// leaving its stack as it is (C programs, whose memory is restored from a snapshot).
enum class Unwinding : std::uint8_t { exception, abandon };

/// What the C and C++ libraries keep per real thread, and a task must have for itself.
struct ThreadState {
  int error = 0;             ///< errno
  void* exceptions[2] = {};  ///< caught and uncaught exceptions (Itanium C++ ABI, 2.2.2)
};

/// A simulated thread.  What each step reads comes first and side by side: among ten thousand tasks
/// it is in no cache, and is fetched in one go (see `fetch_task`).
struct alignas(64) Task {
  Actor operation_actor;                      ///< the first: where it is, the rest is
  SynchronizationObject* waits_on = nullptr;  ///< while parked with an operation that depends on it
  /// What it is about to do: the operation of whoever announced, on the task's own stack.
  const Operation* pending = nullptr;
  std::uint64_t operation_word = 0;  ///< an `OperationId`, kept in one word: read after each write
  TaskId id;
  TaskState state = TaskState::enabled;
  bool timed_out = false;    ///< the deadline of the pending operation has won
  bool poll_failed = false;  ///< its last operation was a failed poll: it parks at the next one
  bool only_spins = false;   ///< that poll was to take a lock once more, as `spins_on` says
  bool detached = false;
  bool ends_waits = false;      ///< waits of its that may be interrupted end at once
  bool has_ended_wait = false;  ///< since then one has
  bool is_helper = false;       ///< works for a front end: whether it waits is of no interest
  Fiber* fiber = nullptr;
  const void* fiber_record = nullptr;  ///< Boost's, of that fiber
  ThreadState saved;
  Task* previous_waiter = nullptr;
  Task* next_waiter = nullptr;
  /// Some links further on, or was: what whoever goes along the list asks for in time.
  const Task* waiter_ahead = nullptr;
  std::uint32_t links_ahead = 0;  ///< how far that was
  /// Of a wait for requests: how many must still become complete.
  std::uint32_t completions_left = 0;
  static constexpr std::uint32_t not_counted = 0xffffffffU;  ///< ask them all
  /// How many functions of the program's it is in on behalf of operations of a front end.
  std::uint32_t acts_for_operations = 0;
  std::uint32_t access_words = 0;  ///< see `ProgramAccesses::words`
  Actor deadline_actor;
  static constexpr std::size_t hot_bytes = 256;

  std::uintptr_t access_begin = 0;  ///< of that access
  ProcessId process;
  Unwinding unwinding = Unwinding::exception;
  std::uint32_t objects_created = 0;
  Operation own_operation;  ///< for what nobody has announced: its start, a sleeper's wake-up

  /// Atomic loads since the task last did anything else: what a spin loop looks at.
  struct Load {
    ObjectId variable;
    std::uint64_t value = 0;
  };
  std::vector<Load> loads_in_a_row;
  std::uint32_t last_load_number = 0;
  /// Notes a load.  Is it a failed poll: has the task done nothing but loads since the same
  /// variable gave it the same value?
  bool repeats_load(ObjectId variable, std::uint64_t value);
  static constexpr std::size_t loads_max = 16;  ///< more variables than a loop spins on
  /// Can a load be noted without allocating?
  [[nodiscard]] bool has_room_for_loads() const { return loads_in_a_row.capacity() >= loads_max; }

  /// What the task has done since it last did anything that others can see, other than to take and
  /// give back locks, to read atomics and to poll in vain: does it spin on a lock?
  struct LockSpin {
    ObjectId lock;                  ///< whose being taken again ends a round
    std::uint32_t last_number = 0;  ///< of the last such operation
    std::uint32_t others = 0;       ///< locks that were taken since that one
    std::uint32_t rounds = 0;
    VirtualTime since;  ///< when the first round ended
  };
  LockSpin lock_spin;
  /// So many rounds are work that is done under a lock; who goes on then looks for what others do.
  static constexpr std::uint32_t rounds_before_spin = 100;
  /// Of more locks than these none is waited for in a round.
  static constexpr std::uint32_t locks_of_a_round_max = 16;
  /// The operation just executed is no sign of progress.
  void note_idle_operation() {
    const std::uint32_t number = current_id().number;
    if (lock_spin.last_number + 1 != number) lock_spin = {};
    lock_spin.last_number = number;
  }
  /// The operation just executed took a lock, and is no sign of progress either.
  void note_lock(ObjectId lock, VirtualTime now);
  /// Has it gone round so often that taking this lock is but another look, a poll that failed?  To
  /// be asked before that is announced.
  [[nodiscard]] bool spins_on(ObjectId lock) const {
    return lock_spin.rounds >= rounds_before_spin && lock_spin.lock == lock &&
           lock_spin.last_number == current_id().number;
  }
  /// Was the operation before the announced one part of such a round?
  [[nodiscard]] bool has_spun() const {
    return lock_spin.rounds >= rounds_before_spin &&
           lock_spin.last_number + 1 == current_id().number;
  }

  const void* select = nullptr;  ///< what `is_enabled` of a wait for several requests looks at

  const std::uintptr_t* stack_line = nullptr;  ///< says that of `StackPlace`; null: nothing does
  void* leave_buffer[5] = {};                  ///< of __builtin_setjmp, at the bottom of its stack
  std::function<void()> body;
  std::string name;
  mutable std::string start_name;     ///< that name, once it has been asked for
  std::uintptr_t start_function = 0;  ///< what a thread is named after that has no name
  std::uint32_t start_number = 0;     ///< which of those that began there, from 1
  SourceLocation spawned_at;
  OperationId end_operation;      ///< its last operation, once it has ended
  bool awaits_restart = false;    ///< its host has crashed and will come up again
  TaskId successor{0xffffffffU};  ///< what was started in its place then
  std::uint64_t bulk_state = 0;
  std::vector<const SynchronizationObject*> held;  ///< locks that it must give back

  [[nodiscard]] OperationId current_id() const {
    return std::bit_cast<OperationId>(operation_word);
  }
  void number_operation() {
    operation_word += std::bit_cast<std::uint64_t>(OperationId{TaskId{0}, 1});
  }
  void begin_operation(const Operation& operation) {
    number_operation();
    pending = &operation;
  }
  [[nodiscard]] bool has_ended() const { return state == TaskState::ended; }
};

/// Who waits for the end of tasks: all joiners of a run.
class TaskEnds final : public SynchronizationObject {
 public:
  explicit TaskEnds(Machine& machine) : SynchronizationObject(machine, "tasks", {}) {}
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  /// Takes part in a new run.
  void renew();
};

/// A simulated operating-system process.
struct Process {
  ProcessId id;
  std::int32_t rank = -1;  ///< -1 for the process of the root task
  std::uint32_t host = 0;
  std::string name;
  TaskId first_task{};
  bool has_finished = false;     ///< the network has been told
  VirtualDuration clock_offset;  ///< by how much its host's clock is ahead
  bool is_down = false;          ///< its host has crashed
  // How to start it again; kept where hosts may crash.
  std::function<void()> body;
  SourceLocation started_at;
};

}  // namespace orrery::detail
