// What `instant-replay` keeps of messages.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// A recorder of sends: of each receive and probe whose message does not follow from the order in
/// which its task and the sender do things.  That is one that names no sender, or of which either
/// rank has several tasks that send or receive; and one that has got no message.  What open calls
/// came to is kept besides, as by all methods that follow messages.  Its replayer is that of racing
/// messages.
std::unique_ptr<Recorder> make_send_recorder();

}  // namespace orrery::detail
