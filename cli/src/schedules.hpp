// Schedules of recorded runs, for commands that go on from one.
#pragma once

#include <string>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "json_report.hpp"
#include "machine_flags.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A log as a command line names it.
struct NamedLog {
  std::string path;
  std::string program_path;  ///< empty: the log's own
  std::string if_test;       ///< what to do with the log of a C++ test, which this cannot run
};

/// Finds the program of a log, with its inputs, and sees to it that the log has a schedule.  One of
/// a method that follows messages is made one of `choices`: it is replayed quietly, in any order
/// that causality allows, and gets the schedule, and the findings, of that.  Throws `UsageError` if
/// the program or an input is not what it was, if the program parts from its log, or does what no
/// schedule has (see `NaturalOrder`) in all orders that were tried.
[[nodiscard]] FoundProgram find_program_with_schedule(SavedRun& saved, const NamedLog& log,
                                                      const MachineFlags& machine,
                                                      const Detector* detector);

/// The second half of that, of a log whose program was found at `path`.
void give_schedule(SavedRun& saved, FoundProgram& program, const std::string& path);

/// Notes in `more` whether somebody may have woken by himself in a replay that is over.
void note_wakings(const Replayer& replayer, Json& more);
/// For whoever follows the steps of that replay, and does not constrain others: where nobody woke
/// by himself, nobody need be allowed to, and who waits in vain would go on.  Takes the note away.
void forbid_needless_wakings(SimulationOptions& machine, Json& more);

}  // namespace orrery::cli
