// Which messages could have been taken instead of those that were.
#pragma once

#include <cstdint>
#include <functional>

#include "message_history.hpp"

namespace orrery::detail {

/// A receive or probe, and a message that it could have had instead of its own.
struct MessageRace {
  std::uint32_t receiver = 0;  ///< numbers of the history's
  std::uint32_t taken = 0;
  std::uint32_t other = 0;
};

/// Calls `found` with all of a run, in the order in which the receives begin.
///
/// As Netzer and Miller ("Optimal tracing and replay for debugging message-passing parallel
/// programs", Supercomputing 1992) have it, a message races with a receive if its send does not
/// happen after the receive has got another one, and the envelopes match.  Where we differ: only
/// wildcards can race, and others where several threads of the source send; the message must be the
/// first of its sender that the receive could take (non-overtaking: MPI 3.1, section 3.5), what was
/// taken by a receive that began before is gone, what an open receive that began before would take
/// goes there, and an open receive takes what a later one would get.  Zeng's Algorithm 1 (the paper
/// 000) compares with the receiver's last event instead, and calls more messages racing.
void find_message_races(const MessageHistory& history,
                        const std::function<void(const MessageRace&)>& found);

/// What must have happened for the receive to take the other message.
[[nodiscard]] VectorClock past_of(const MessageHistory& history, const MessageRace& race);

}  // namespace orrery::detail
