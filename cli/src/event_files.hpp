// Where the export of a run goes.
#pragma once

#include <optional>
#include <string>

#include <orrery/replay_core/event_exports.hpp>

#include "program_lookup.hpp"

namespace orrery::cli {

/// Makes a recorded run again and writes it to `target`, a file or directory that has its name when
/// all of it is there; without one to standard output, which gets nothing before.  Nothing
/// unfinished stays.  Throws `UsageError` if it cannot be written, and as `run_again` does.
void export_run(const FoundProgram& program, SavedRun& run, const std::string& path,
                const EventExport& format, const std::optional<std::string>& target);

}  // namespace orrery::cli
