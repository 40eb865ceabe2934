// The replayer of runs by real threads whose accesses to memory were recorded.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// Two logs of one run, which both must admit what comes: time stamps of synchronisation, and what
/// is known of memory, for whose replayer `make_accesses` is asked.
std::unique_ptr<Replayer> make_memory_replayer(
    const SavedRun& run, Chooser& fallback, ReplayMode mode,
    std::unique_ptr<Replayer> (*make_accesses)(const SavedRun&, Chooser&, ReplayMode));

}  // namespace orrery::detail
