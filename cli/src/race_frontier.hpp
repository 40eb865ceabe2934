// Which data race a replay comes to grief on that follows synchronisation alone.
#pragma once

#include <functional>
#include <string>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Has the replay of a log parted from it, or not ended as the recorded run did?
[[nodiscard]] bool has_gone_otherwise(const SavedRun& saved, const IsolatedResult& replayed);

/// A replay that goes on and on where its recorded run was ended from outside has come to that end.
void take_end_from_outside(const SavedRun& saved, IsolatedResult& replayed);

/// Finds the program of the log once more, as this detector has to see it, ready to run.
using FindWatched = std::function<FoundProgram(const Detector& detector)>;

/// Of a replay that has gone otherwise, by a method that follows synchronisation and no memory:
/// does it again up to there, watched by `recplay`, and adds the races and the race frontier to
/// what came of it.  Returns what people should know of that, in whole sentences.
[[nodiscard]] std::string look_for_race(const SavedRun& saved, const FoundProgram& program,
                                        const FindWatched& find_watched, IsolatedResult& replayed);

/// Where nothing follows the schedule any more there is nothing for further runs to see: how far
/// they follow a run that has parted from its log, for `conclude_watching`.
[[nodiscard]] std::uint64_t steps_followed(const Outcome& outcome);

}  // namespace orrery::cli
