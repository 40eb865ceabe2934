// The replayer of both forms of racing messages.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// Zeng's Algorithm 4, where it gives a traced message and its receive a type of their own: that
/// receive takes that message, and the others take only messages that are not traced, or those of
/// the sender that they name.  Types are tags there; here the machine asks for each message and
/// receive whether they go together, so that tags and communicators stay the program's.
std::unique_ptr<Replayer> make_racing_replayer(const SavedRun& run, Chooser& fallback,
                                               ReplayMode mode);

}  // namespace orrery::detail
