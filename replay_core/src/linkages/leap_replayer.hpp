// The replayer of `leap`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Replayer> make_leap_replayer(const SavedRun& run, Chooser& fallback,
                                             ReplayMode mode);

}  // namespace orrery::detail
