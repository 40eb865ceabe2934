// Names of things within a run.  All are small numbers that depend on the program and the choices
// made, never on addresses, machines or builds.
#pragma once

#include <compare>
#include <cstdint>

namespace orrery {

/// A simulated thread: numbered from 0 in order of creation; 0 is the root task of the run.
struct TaskId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(TaskId, TaskId) = default;
};

/// A simulated operating-system process.  0 is the process of the root task; the processes of a
/// message-passing program are numbered from 1 and their ranks from 0 (`World::process`).
struct ProcessId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(ProcessId, ProcessId) = default;
};

/// One operation of one task; `number` counts the task's operations from 1.  The same on every
/// platform: it is how logs, draws and pictures name what happened.
struct OperationId {
  TaskId task;
  std::uint32_t number = 0;
  /// Both halves in one word, for hashing and for keys.
  [[nodiscard]] constexpr std::uint64_t packed() const {
    return std::uint64_t{task.value} << 32U | number;
  }
  friend constexpr auto operator<=>(OperationId, OperationId) = default;
};

/// A simulated object: a mutex, a variable, a mailbox.  `creator` made it as its `number`-th; so a
/// name does not depend on what other tasks created meanwhile.  {0, 0} means "none".
struct ObjectId {
  TaskId creator;
  std::uint32_t number = 0;
  [[nodiscard]] constexpr std::uint64_t packed() const {
    return std::uint64_t{creator.value} << 32U | number;
  }
  friend constexpr auto operator<=>(ObjectId, ObjectId) = default;
};

}  // namespace orrery
