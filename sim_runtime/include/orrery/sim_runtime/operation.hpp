// What a task is about to do.
#pragma once

#include <cstdint>
#include <string_view>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery {

/// Every visible operation.  The numbers are part of the log format: new kinds go to the end.
enum class OperationKind : std::uint8_t {
  none = 0,
  // tasks
  task_start,  ///< the first step of a task; object: the task's own start object
  task_end,    ///< recorded when a task's function has returned
  spawn,       ///< creates a task; value: its number
  join,        ///< waits for a task's end; value: its number
  sleep,       ///< becomes ready at a later date
  yield,       ///< a poll that never succeeds
  // shared memory
  read,
  write,
  read_modify_write,
  fence,
  // synchronisation
  mutex_lock,
  mutex_try_lock,
  mutex_unlock,
  shared_lock,
  shared_try_lock,
  shared_unlock,
  condition_wait,    ///< gives up the mutex and sleeps; it wakes as a `mutex_lock`
  condition_notify,  ///< value: 1 for one, ~0 for all
  semaphore_acquire,
  semaphore_try_acquire,
  semaphore_release,
  barrier_arrive,
  barrier_wait,
  latch_count_down,
  latch_wait,
  once_begin,
  once_end,
  // messages
  send,          ///< starts a send; value: the destination's process, tag in `tag`
  receive,       ///< takes a message that has arrived
  post_receive,  ///< starts a non-blocking receive
  wait,          ///< waits for one request; object: the request
  select,        ///< waits for one (or some, or all) of several requests
  test,          ///< polls one or several requests
  probe,
  try_probe,
  cancel,
  // the machine's own steps
  deliver,   ///< a message reaches its mailbox; the id is the send's
  timeout,   ///< the deadline of a parked operation wins; the id is that operation's
  transfer,  ///< a control message or the data of a rendezvous arrives; the id is the send's
  // chance
  random,  ///< a draw that is a choice
  // front ends
  call,    ///< any other visible call of a front end; value: which
  output,  ///< text written by the program; value: how many bytes
  // what survives a crash
  disk_write,
  disk_read,
  disk_flush,
  // faults
  fault,    ///< something fails; told as an event, never asked as a step
  recover,  ///< a step of the machine: what failed works again; the id is that of the operation at
            ///< which it failed
  compute,  ///< becomes ready when a core of the host has done so much work
  count_    ///< how many there are
};

/// The name of a kind as logs, timelines and JSON print it: `mutex_lock`.
[[nodiscard]] std::string_view name(OperationKind kind);
/// Does an operation of this kind only poll (`try_lock`, `test`, `try_probe`, `yield`)?
[[nodiscard]] bool is_poll(OperationKind kind);

/// Is a step of this kind the machine's own (messages on their way, faults that end), not a task's?
[[nodiscard]] constexpr bool is_machine_step(OperationKind kind) {
  return kind == OperationKind::deliver || kind == OperationKind::transfer ||
         kind == OperationKind::recover;
}

/// The order that an atomic access asked for, as in C++.
enum class MemoryOrder : std::uint8_t {
  plain,
  relaxed,
  consume,
  acquire,
  release,
  acq_rel,
  seq_cst
};

/// "Any source" and "any tag" of a receive or probe.
inline constexpr std::int32_t any_source = -1;
inline constexpr std::int32_t any_tag = -1;

/// An operation that a task announces before it acts, in view of every chooser.
struct Operation {
  OperationKind kind = OperationKind::none;
  MemoryOrder order = MemoryOrder::plain;
  std::int32_t peer = any_source;  ///< send: destination rank; receive, probe: source rank or any
  std::int32_t tag = any_tag;      ///< of a message, or any
  ObjectId object;                 ///< what it acts on
  std::uint64_t value = 0;         ///< what would be written, or what the kind's comment says
  VirtualTime deadline = VirtualTime::never();  ///< when a timed operation gives up
  const SourceLocation* where = nullptr;        ///< lives as long as the operation is pending
  /// A plain read: the task has not done the write that it announced before, and does both now.
  bool is_source_of_write = false;
  /// A plain access of an unchanged program to memory that no other task has touched so far: no
  /// step where tasks lose their turn at shared accesses only.
  bool is_unshared = false;
};

/// Could the two not be exchanged without anybody noticing?  The relation that partial-order
/// methods need: same object and at least one of them changes it.  Sound (may say yes too often).
[[nodiscard]] bool are_dependent(const Operation& a, const Operation& b);

}  // namespace orrery
