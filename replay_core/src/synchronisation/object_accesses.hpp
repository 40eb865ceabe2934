// Which object an operation reads or changes.
#pragma once

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

enum class ObjectAccess : std::uint8_t { none, reads, writes };

/// What a step does to its object, as far as can be told before it is done: may say `writes` of
/// what only reads.  None: messages, whose order is that of the sends that receives take, and what
/// is the task's alone, or follows from who started whom.  A `timeout` may be any.
[[nodiscard]] ObjectAccess access_of(OperationKind kind, ObjectId object);
/// What it has done.  The event's kind need not be the step's: an exchange that fails is a read.
[[nodiscard]] ObjectAccess access_of(const Event& event);
/// Did the event's operation find what it did not want?  Of loads only who repeats one can tell.
[[nodiscard]] bool is_failed_try(const Event& event);
/// What the sends of a process have in common: messages to one receiver do not overtake each other,
/// whichever task of the process sends them.
[[nodiscard]] constexpr ObjectId outbox_of(ProcessId process) {
  constexpr std::uint32_t no_task = 1U << 31U;
  return {TaskId{no_task | process.value}, 1};
}
/// Events of these kinds are about an access.
[[nodiscard]] EventMask access_events();

}  // namespace orrery::detail
