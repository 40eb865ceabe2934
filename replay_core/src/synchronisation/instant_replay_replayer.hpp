// The replayer of `instant-replay`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// A task reads an object when that has the version on its tape, and changes it when besides all
/// have read that version who did.
std::unique_ptr<Replayer> make_instant_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode);

}  // namespace orrery::detail
