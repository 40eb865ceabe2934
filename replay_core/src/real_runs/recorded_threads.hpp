// What the threads of a real program have left while they were recorded.
#pragma once

#include <string>
#include <vector>

#include <orrery/replay_core/recorded_job.hpp>

namespace orrery::detail {

/// Reads their files; false: there are none.  Throws `UsageError` for one that is damaged.
bool read_recorded_threads(const std::string& directory, RecordedJob& job);

/// `thread 2`, whose doing the end was.
[[nodiscard]] std::string thread_name(const RecordedJob& job, const RecordedRank& process);
/// What is missing in the log, and what the program uses and no record holds: a line each.
[[nodiscard]] std::vector<std::string> thread_gap_lines(const RecordedJob& job);
[[nodiscard]] std::vector<std::string> thread_remark_lines(const RecordedJob& job);

}  // namespace orrery::detail
