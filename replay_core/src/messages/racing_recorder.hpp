// The recorders of racing messages: only where the order could have been another one.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// Algorithm 1 of Zeng, "Incremental record and replay mechanism for message passing concurrent
/// programs", as printed: a message is traced if the receiving process has done anything, a send or
/// a receive, of which the sender did not know.  Two additions, without which replays would go
/// astray: a receive of calls that do not block counts where it is complete, so that one which
/// overtakes an earlier, open wildcard is traced too; and a message that is traced where it is
/// received is traced where probes saw it.
std::unique_ptr<Recorder> make_racing_recorder();

/// Netzer and Miller, "Optimal tracing and replay for debugging message-passing parallel programs"
/// (1994): the message is traced only if an earlier *receive* of the process could have taken it,
/// which the sender did not know to be complete.  Beyond the paper: that receive must name no
/// sender, fit the message's communicator and tag, and have taken a message of somebody else (those
/// of one sender do not overtake); and it must not be traced itself, since what is traced takes its
/// own message only.  Nor may the message be behind a traced one of its sender until that receive
/// is complete.  A sender also knows what the end of a synchronous send tells, and which receives
/// must have had their messages before a later one could have its own.  Of a probe for any source
/// and the receive of what it found the probe is traced.
std::unique_ptr<Recorder> make_tight_racing_recorder();

}  // namespace orrery::detail
