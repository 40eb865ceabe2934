// The atomics of a program, done for it.
#pragma once

#include <cstdint>

#include <orrery_hooks.h>

namespace orrery::host {

/// What an atomic is going to do, as far as that is known before.
[[nodiscard]] std::uint64_t value_to_write(const OrreryAtomicOperation& operation);

/// Does it.  All threads of simulated programs are one of the system's: no instruction has to be
/// atomic for that.
void execute(OrreryAtomicOperation& operation);

/// What can be seen of an atomic that has been done, in up to eight bytes: what was read, or is
/// there now.
[[nodiscard]] std::uint64_t value_seen(const OrreryAtomicOperation& operation);

/// Before it is done, if nobody comes in between: as `has_written` after it.
[[nodiscard]] bool will_write(const OrreryAtomicOperation& operation);

/// Only a compare-exchange that failed, and a load, have written nothing.
[[nodiscard]] bool has_written(const OrreryAtomicOperation& operation);

}  // namespace orrery::host
