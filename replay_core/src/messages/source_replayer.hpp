// The replayer of `orders` and `wildcards`: a receive takes the next message of the sender in the
// log.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Replayer> make_orders_replayer(const SavedRun& run, Chooser& fallback,
                                               ReplayMode mode);
std::unique_ptr<Replayer> make_wildcards_replayer(const SavedRun& run, Chooser& fallback,
                                                  ReplayMode mode);

}  // namespace orrery::detail
