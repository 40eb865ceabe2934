// The recorders `orders` and `wildcards`: who sent what a receive took.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// "Ordering based" in Zeng's sense: the sender of every receive and probe.  Messages of one sender
/// that fit one receive do not overtake each other, so the sender is enough.
std::unique_ptr<Recorder> make_orders_recorder();

/// Only of those that name no sender: Kranzlmueller and Lefevre, "A record & replay mechanism using
/// programmable network interface cards".  The others take the same message in every run in which
/// the senders do the same.
std::unique_ptr<Recorder> make_wildcards_recorder();

}  // namespace orrery::detail
