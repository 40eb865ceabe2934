// The recorders `nic` and `switch`: who sent what came to each card, kept by the cards, or by the
// ports of switches; `nic+polls` and `switch+polls`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// Kranzlmueller and Lefevre, "A record & replay mechanism using programmable network interface
/// cards": steps (4) to (7).  The order of coming is all that the log has of messages, and the
/// bytes that the cards wrote are all that it is taken from.  The recorder watches the run besides,
/// to see whether that order tells which message each receive took: it does not where a call may
/// find nothing or choose, where one is cancelled, and where the run's chooser gave a receive
/// another message than the first.  Such a run is refused.
std::unique_ptr<Recorder> make_nic_recorder(const NameWithOptions& given);

/// The same, and the host keeps what the cards do not see.
std::unique_ptr<Recorder> make_nic_polls_recorder(const NameWithOptions& given);

/// The same two at the port by which the last switch sends to a host: messages pass there in the
/// order in which they come to its card.
std::unique_ptr<Recorder> make_switch_recorder(const NameWithOptions& given);
std::unique_ptr<Recorder> make_switch_polls_recorder(const NameWithOptions& given);

}  // namespace orrery::detail
