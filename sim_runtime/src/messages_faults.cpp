// What faults do to messages: lost, late, changed, twice; and connections that break.
#include <algorithm>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {
namespace {

/// Pairs of hosts are kept with the lower one first.
std::pair<std::uint32_t, std::uint32_t> connection(std::uint32_t host, std::uint32_t other_host) {
  return {std::min(host, other_host), std::max(host, other_host)};
}

}  // namespace

void MessageSystem::send_off(MessageIndex index, std::uint64_t size_bytes) {
  const MessagePattern envelope = messages_[index].envelope;
  const bool crosses_the_network = host_of(envelope.source) != host_of(envelope.destination);
  MessageFate fate;
  if (crosses_the_network)
    fate = machine_.faults().fate_of_message(messages_[index].payload.size());
  apply_fate(index, fate);
  start_transfer(index, envelope.source, envelope.destination, size_bytes);
  const bool is_doubled = fate.kind == FaultKind::duplicate && !is_reliable_ &&
                          !messages_[index].is_rendezvous && !messages_[index].is_synchronous &&
                          !messages_[index].is_call;
  if (is_doubled) duplicate(index);
}

void MessageSystem::apply_fate(MessageIndex index, const MessageFate& fate) {
  MessageState& message = messages_[index];
  message.fault = fate.kind;
  switch (fate.kind) {
    case FaultKind::delay: message.delay = fate.delay; return;
    case FaultKind::corrupt:
      // Links have checksums: where there is somebody who looks, it is as good as lost.
      if (!is_reliable_) {
        message.turned_bit = fate.bit + 1;
        return;
      }
      [[fallthrough]];
    case FaultKind::loss: break;
    default: return;  // a NIC that counts messages drops the second copy
  }
  if (!is_reliable_) {
    message.is_lost = true;
  } else if (machine_.faults().plan().is_unreliable) {
    message.is_lost = true;
    break_connection(host_of(message.envelope.source), host_of(message.envelope.destination));
  } else {
    message.delay = machine_.faults().plan().resend_timeout;
  }
}

void MessageSystem::duplicate(MessageIndex index) {
  const MessageIndex copy = free_message();
  messages_[copy] = messages_[index];
  messages_[copy].send_request = 0;
  messages_[copy].next_in_channel = no_message;
  append_to_channel(copy);
  const MessagePattern& envelope = messages_[copy].envelope;
  start_transfer(copy, envelope.source, envelope.destination, messages_[copy].payload.size());
}

bool MessageSystem::is_kept_back(MessageIndex index, std::int32_t from, std::int32_t to) {
  const Faults::Obstacle obstacle = machine_.faults().obstacle(host_of(from), host_of(to));
  if (obstacle.kind == FaultKind::none) return false;
  MessageState& message = messages_[index];
  const bool is_first = message.phase == MessageState::Phase::in_flight;
  const bool is_only_late = obstacle.kind == FaultKind::nic_stall;
  if (!is_only_late && is_first && !is_reliable_) {
    message.is_lost = true;
    return false;
  }
  if (!is_only_late && is_first && machine_.faults().plan().is_unreliable) {
    message.is_lost = true;
    break_connection(host_of(from), host_of(to));
    return false;
  }
  message.is_held = true;
  machine_.faults().hold(index, obstacle);
  return true;
}

void MessageSystem::send_held(std::span<const MessageIndex> held, FaultKind kind) {
  for (const MessageIndex index : held) {
    MessageState& message = messages_[index];
    message.is_held = false;
    // Where messages were lost, the NIC's timer has to run out first.
    if (kind != FaultKind::nic_stall) message.delay += machine_.faults().plan().resend_timeout;
    const auto& [context, source, destination, tag] = message.envelope;
    const bool goes_back = message.phase == MessageState::Phase::clear_to_send ||
                           message.phase == MessageState::Phase::acknowledgement ||
                           message.phase == MessageState::Phase::answer;
    const bool has_data = message.phase == MessageState::Phase::data ||
                          message.phase == MessageState::Phase::answer ||
                          (!message.is_rendezvous && !goes_back);
    start_transfer(index, goes_back ? destination : source, goes_back ? source : destination,
                   has_data ? message.payload.size() : 0);
  }
}

// --- connections --------------------------------------------------------------------------------

bool MessageSystem::is_cut_off(std::int32_t rank, std::int32_t source) const {
  if (broken_.empty()) return false;
  const std::uint32_t host = host_of(rank);
  if (source != any_source) return broken_.contains(connection(host, host_of(source)));
  return std::ranges::any_of(
      broken_, [host](const auto& pair) { return pair.first == host || pair.second == host; });
}

void MessageSystem::break_connection(std::uint32_t host, std::uint32_t other_host) {
  if (!broken_.insert(connection(host, other_host)).second) return;
  for (RequestHandle handle = 1; handle < requests_.size(); ++handle) {
    const RequestState& request = requests_[handle];
    if (!request.in_use || request.complete || request.cancelled) continue;
    if (request.is_receive && request.message != no_message) continue;  // its data will come
    const std::int32_t peer =
        request.is_receive ? request.pattern.source : request.pattern.destination;
    if (!is_cut_off(request.owner, peer)) continue;
    fail(handle);
  }
  for (std::size_t rank = 0; rank < mailboxes_used_; ++rank) machine_.reconsider(*mailboxes_[rank]);
}

void MessageSystem::fail(RequestHandle handle) {
  RequestState& request = requests_[handle];
  if (request.is_receive) {
    mailbox(request.owner).unpost(handle, request.pattern);
  } else if (request.message != no_message) {
    MessageState& message = messages_[request.message];
    const bool is_matched = message.phase != MessageState::Phase::in_flight &&
                            message.phase != MessageState::Phase::arrived &&
                            message.phase != MessageState::Phase::called;
    if (is_matched) return;
    if (message.phase == MessageState::Phase::arrived) {
      mailbox(message.envelope.destination).remove(request.message);
    }
    message.cancelled = true;
    message.send_request = 0;
    request.message = no_message;  // whose place may be used again
  }
  request.has_failed = true;
  complete(handle, {});
}

RequestHandle MessageSystem::failed_receive(const MessagePattern& pattern,
                                            const SourceLocation& where) {
  const RequestHandle handle = new_request(true, pattern, where);
  requests_[handle].has_failed = requests_[handle].complete = true;
  return handle;
}

void MessageSystem::process_crashed(std::int32_t rank) {
  for (RequestHandle handle = 1; handle < requests_.size(); ++handle) {
    RequestState& request = requests_[handle];
    if (!request.in_use || request.owner != rank) continue;
    const bool is_posted = request.is_receive && !request.complete && request.message == no_message;
    if (is_posted) mailbox(rank).unpost(handle, request.pattern);
    if (is_posted || request.complete) {
      recycle(handle);
    } else {
      request.is_released = true;
    }
  }
  for (MessageState& message : messages_) {
    const bool waits =
        message.phase == MessageState::Phase::arrived && message.envelope.destination == rank;
    if (!waits) continue;
    // Gone with the mailbox; whoever waits for it to be received may still cancel it.
    message.phase = MessageState::Phase::in_flight;
    message.cancelled = true;
  }
  mailbox(rank).clear();
  if (!is_reliable_) return;
  for (std::size_t other = 0; other < mailboxes_used_; ++other) {
    const std::uint32_t host = host_of(static_cast<std::int32_t>(other));
    if (host != host_of(rank)) break_connection(host_of(rank), host);
  }
}

}  // namespace orrery::detail
