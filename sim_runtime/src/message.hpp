// One message from its send to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/network_model.hpp>
#include <orrery/sim_runtime/communicator.hpp>
#include <orrery/sim_runtime/ids.hpp>

#include "agenda.hpp"

namespace orrery::detail {

using MessageIndex = std::uint32_t;
inline constexpr MessageIndex no_message = 0xffffffffU;
using RequestHandle = std::uint32_t;  ///< 0: none

/// Who sends what to whom; as a pattern, `source` and `tag` may be wildcards.
struct MessagePattern {
  std::uint32_t context = 0;
  std::int32_t source = any_source;
  std::int32_t destination = 0;
  std::int32_t tag = any_tag;

  [[nodiscard]] bool matches(const MessagePattern& message) const {
    return context == message.context && (source == any_source || source == message.source) &&
           (tag == any_tag || tag == message.tag);
  }
};

/// A message.  An *eager* one carries its bytes with it.  A *rendezvous* first sends an envelope;
/// when that is matched, a clear-to-send goes back, and then the data come.  A *synchronous* eager
/// one is acknowledged when it is matched.  A *call* is eager and never received: it is handed to
/// whoever answers calls, and the answer, which takes the place of its bytes, goes back.
struct MessageState {
  enum class Phase : std::uint8_t {
    in_flight,
    arrived,
    claimed,  ///< taken by a matched probe, and no receive of it has begun
    clear_to_send,
    data,
    acknowledgement,
    called,  // a call that was handed over, and has no answer yet
    answer,
    done
  };

  MessagePattern envelope;
  Phase phase = Phase::in_flight;
  bool is_rendezvous = false;
  bool is_synchronous = false;
  bool is_call = false;
  bool cancelled = false;
  FaultKind fault = FaultKind::none;  ///< that has struck this message alone
  bool is_lost = false;               ///< by a fault: nobody sees it arrive
  bool is_held = false;               ///< by a fault: not on its way yet
  VirtualDuration delay;              ///< by a fault: added to whatever the network says
  std::uint64_t turned_bit = 0;       ///< by a fault: its number plus one; 0: none
  OperationId sender;
  /// The operation that started the receive it was matched with; of a call, the one that led to
  /// the answer.
  OperationId received_by;
  RequestHandle send_request = 0;
  RequestHandle receive_request = 0;
  TransferId transfer{};  ///< the one under way
  VirtualTime date;       ///< when it arrives, as things stand
  std::uint64_t arrival_order = 0;
  std::vector<std::byte> payload;
  std::uint64_t note = 0;  ///< from the sender's front end to the receiver's
  Actor actor;             ///< of the phases after the match
  MessageIndex next_in_channel = no_message;
  // Places in the two buckets of the mailbox: [0] by its tag, [1] by any tag.
  MessageIndex previous_arrived[2] = {no_message, no_message};
  MessageIndex next_arrived[2] = {no_message, no_message};
};

}  // namespace orrery::detail
