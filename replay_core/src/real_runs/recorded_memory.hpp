// What the threads of a real program have left of their accesses to memory.
#pragma once

#include <string>

#include <orrery/replay_core/recorded_job.hpp>

namespace orrery::detail {

/// Reads their files, if there are any, into `job.accesses`; the threads themselves have been read.
/// Throws `UsageError` for one that is damaged.
void read_recorded_memory(const std::string& directory, RecordedJob& job);

}  // namespace orrery::detail
