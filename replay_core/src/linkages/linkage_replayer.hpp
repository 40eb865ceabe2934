// The replayer of `global-writes` and `stride`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Replayer> make_linkage_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode);

}  // namespace orrery::detail
