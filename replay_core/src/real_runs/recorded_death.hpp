// What a process has left that a signal has ended.
#pragma once

#include <optional>
#include <string>

#include <orrery/replay_core/recorded_job.hpp>

namespace orrery::detail {

/// Of the process whose file, of a rank or of the first thread, is `spool_path`; nothing: it has
/// left none.
[[nodiscard]] std::optional<RecordedDeath> read_last_words(const std::string& spool_path,
                                                           const std::string& program_path);

/// The same as a finding; `who` died of it, and with it the process: `thread 2` and `the program`.
[[nodiscard]] Finding finding_of_death(const RecordedDeath& death, const std::string& who,
                                       const std::string& process);

/// Of a program of threads that could tell nothing, but which has ended with this status, as shells
/// have it.
[[nodiscard]] Finding finding_of_silent_program(int command_status);

}  // namespace orrery::detail
