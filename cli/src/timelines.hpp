// Timelines of runs that have to be made again for it.
#pragma once

#include <string>

#include <orrery/replay_core/saved_run.hpp>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A run that died took its timeline with it: makes it again up to its last step, which it does
/// not take, and puts the field `timeline` into `result.more`.  Does nothing where there is one.
/// `run` is the log of what was replayed; nothing, {}, for a run of its own.
void add_timeline_of_dead(const FoundProgram& program, SavedRun run, IsolatedResult& result);

/// The timeline of a recorded run, which is made again.  A log of a method that follows messages
/// gets the findings of this replay.  Throws `UsageError` if the program parts from such a log;
/// `path` names it.
[[nodiscard]] std::string timeline_of(const FoundProgram& program, SavedRun& run,
                                      const std::string& path);

}  // namespace orrery::cli
