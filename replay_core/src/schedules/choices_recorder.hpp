// The method `choices`: the schedule, whole.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Recorder> make_choices_recorder();
std::unique_ptr<Replayer> make_choices_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode);

}  // namespace orrery::detail
