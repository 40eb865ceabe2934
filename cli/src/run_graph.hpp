// Recorded runs, made again for their graphs.
#pragma once

#include <functional>
#include <string>

#include <orrery/replay_core/event_graph.hpp>

#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery {
class Simulation;
}

namespace orrery::cli {

/// What is wanted of a graph.
struct GraphUse {
  EventGraphOptions options;
  bool wants_statistics = false;  ///< of the network, in `use`: `Simulation::network_statistics`
  /// In the run's process, at its end: what the caller should know goes into `more`.
  std::function<void(const EventGraph&, const Simulation&, Json& more)> use;
};

/// Makes a recorded run again, up to its last step where it dies in that, and gives what `use` has
/// put into `more`.  A log of a method that follows messages gets the findings of this replay.
/// Throws as `run_again` does, and `UsageError` where the run does not come so far; `path` names
/// the log.
Json with_graph_of(const FoundProgram& program, SavedRun& run, const std::string& path,
                   const GraphUse& use);

}  // namespace orrery::cli
