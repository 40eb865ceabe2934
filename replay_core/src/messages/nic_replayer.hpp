// The replayer of `nic` and `switch`, with or without polls: messages come in the order in which
// they came to the cards, or passed the ports to them.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Replayer> make_nic_replayer(const SavedRun& run, Chooser& fallback,
                                            ReplayMode mode);

}  // namespace orrery::detail
