// The sending half: from a send to its arrival.
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/contexts.hpp>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {
namespace {
constexpr std::size_t kept_channels_max = 4096;
}

std::uint64_t payload_hash(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  return hash;
}

MessageSystem::MessageSystem(Machine& machine, std::unique_ptr<NetworkModel> network)
    : machine_(machine), network_(std::move(network)) {
  network_->set_chances(this);
}

std::uint64_t MessageSystem::draw(std::uint64_t /*key*/, std::uint64_t bound) {
  return machine_.choose_value(ChoiceKind::jitter, 0, bound - 1);
}

void MessageSystem::reset() {
  network_->reset();
  machine_.set_network_event(network_->next_event());
  free_messages_.clear();
  for (std::size_t i = messages_.size(); i-- > 0;) {
    messages_[i].phase = MessageState::Phase::done;
    free_messages_.push_back(static_cast<MessageIndex>(i));
  }
  transfers_.clear();
  if (channel_index_.size() > kept_channels_max) {
    channel_index_.clear();
    channels_used_ = 0;
  }
  for (std::size_t i = 0; i < channels_used_; ++i) {
    channels_[i].first = channels_[i].last = no_message;
    channels_[i].actor.place = Actor::Place::nowhere;
  }
  mailboxes_used_ = 0;
  hosts_.clear();
  requests_.clear();
  requests_.emplace_back();  // handle 0 means none
  free_requests_.clear();
  is_reliable_ = false;
  broken_.clear();
  sent_ = 0;
  arrivals_ = 0;
  has_withheld_ = false;
  call_handler_ = {};
  wait_teller_ = nullptr;
  note_carrier_ = nullptr;
  lone_rank_ = -1;
}

void MessageSystem::add_process(std::uint32_t host) {
  hosts_.push_back(host);
  if (mailboxes_used_ == mailboxes_.size()) {
    mailboxes_.push_back(std::make_unique<Mailbox>(machine_, *this, messages_,
                                                   static_cast<std::int32_t>(mailboxes_used_)));
  } else {
    mailboxes_[mailboxes_used_]->reset();
  }
  ++mailboxes_used_;
}

void MessageSystem::announce_send(const MessagePattern& to, std::uint64_t size_bytes,
                                  const SourceLocation& where, Operation& operation) {
  if (to.destination < 0 || to.destination >= machine_.rank_count()) {
    throw UsageError("there is no rank " + std::to_string(to.destination) + " to send to", {},
                     "ranks go from 0 to " + std::to_string(machine_.rank_count() - 1));
  }
  if (to.tag < 0) throw UsageError("tag " + std::to_string(to.tag) + " is negative", {}, "");
  operation.kind = OperationKind::send;
  operation.peer = to.destination;
  operation.tag = to.tag;
  operation.object = mailbox(to.destination).id();
  operation.value = size_bytes;
  operation.where = &where;
  machine_.announce(operation);
  machine_.faults().before_operation();
}

MessageIndex MessageSystem::create(const MessagePattern& to, std::span<const std::byte> bytes,
                                   SendMode mode, bool is_call) {
  const MessageIndex index = create(to, bytes, machine_.running().current_id());
  MessageState& message = messages_[index];
  const auto threshold = machine_.options().eager_threshold_bytes;
  message.is_rendezvous =
      mode != SendMode::buffered && (threshold == 0 || bytes.size() > threshold);
  message.is_synchronous = mode == SendMode::synchronous;
  message.is_call = is_call;
  ++sent_;
  return index;
}

MessageIndex MessageSystem::create(const MessagePattern& to, std::span<const std::byte> bytes,
                                   OperationId sender) {
  const MessageIndex index = free_message();
  MessageState& message = messages_[index];
  message.envelope = to;
  message.phase = MessageState::Phase::in_flight;
  message.is_rendezvous = message.is_synchronous = message.is_call = false;
  message.cancelled = message.is_lost = message.is_held = false;
  message.fault = FaultKind::none;
  message.delay = {};
  message.turned_bit = 0;
  message.received_by = {};
  message.sender = sender;
  message.note = 0;
  message.send_request = 0;
  message.receive_request = 0;
  message.payload.assign(bytes.begin(), bytes.end());
  message.next_in_channel = no_message;
  return index;
}

// Observers have heard of it before anybody is asked whether it may be delivered.
void MessageSystem::dispatch(MessageIndex index) {
  append_to_channel(index);
  const MessageState& message = messages_[index];
  const std::uint64_t size_bytes = message.is_rendezvous ? 0 : message.payload.size();
  if (machine_.faults().is_on()) {
    send_off(index, size_bytes);
  } else {
    start_transfer(index, message.envelope.source, message.envelope.destination, size_bytes);
  }
  if (messages_[index].fault != FaultKind::none) machine_.faults().tell(messages_[index].fault);
}

MessageIndex MessageSystem::free_message() {
  if (free_messages_.empty()) {
    free_messages_.push_back(static_cast<MessageIndex>(messages_.size()));
    messages_.emplace_back();
  }
  const MessageIndex index = free_messages_.back();
  free_messages_.pop_back();
  return index;
}

void MessageSystem::append_to_channel(MessageIndex index) {
  Channel& channel = channel_of(messages_[index].envelope);
  if (channel.last != no_message) messages_[channel.last].next_in_channel = index;
  if (channel.first == no_message) channel.first = index;
  channel.last = index;
}

void MessageSystem::tell_sent(const Operation& operation, MessageIndex index) {
  if (machine_.wants_matching()) tell_matching_sent(operation, index);
  machine_.checkpoints().is_sent(messages_[index]);
  if (!machine_.wants(OperationKind::send)) return;
  const MessageState& message = messages_[index];
  Event event;
  event.id = message.sender;
  event.kind = OperationKind::send;
  event.object = operation.object;
  event.peer = operation.peer;
  event.tag = operation.tag;
  event.size_bytes = message.payload.size();
  event.payload_hash = payload_hash(message.payload);
  event.where = operation.where;
  machine_.tell(event);
}

bool MessageSystem::send(const MessagePattern& to, std::span<const std::byte> bytes, SendMode mode,
                         const SourceLocation& where, std::uint64_t note) {
  const RequestHandle handle = start_send(to, bytes, mode, where, note);
  if (!requests_[handle].complete || requests_[handle].had_to_wait) {
    const RequestHandle handles[] = {handle};
    wait({handles, true}, VirtualTime::never(), OperationKind::wait, where);
  }
  const bool is_sent = !requests_[handle].has_failed;
  release(handle);
  return is_sent;
}

RequestHandle MessageSystem::start_send(const MessagePattern& to, std::span<const std::byte> bytes,
                                        SendMode mode, const SourceLocation& where,
                                        std::uint64_t note) {
  Operation operation;
  announce_send(to, bytes.size(), where, operation);
  if (machine_.is_unwinding()) return 0;
  const MessageIndex index = create(to, bytes, mode);
  messages_[index].note = note;
  tell_sent(operation, index);
  if (is_elsewhere(to.destination)) return leave(index, where);
  dispatch(index);
  const RequestHandle handle = new_request(false, to, where);
  requests_[handle].could_buffer = mode == SendMode::standard;
  const MessageState& message = messages_[index];
  if (is_cut_off(to.destination, to.source)) {
    messages_[index].cancelled = true;  // what was on its way may still come, this will not
    requests_[handle].has_failed = requests_[handle].complete = true;
  } else if (message.is_rendezvous || message.is_synchronous) {
    requests_[handle].message = index;
    messages_[index].send_request = handle;
  } else {
    requests_[handle].complete = true;
    requests_[handle].matched = message.sender;
  }
  return handle;
}

MessageSystem::Channel& MessageSystem::channel_of(const MessagePattern& to) {
  const auto [position, inserted] = channel_index_.try_emplace(
      {to.context, to.source, to.destination}, static_cast<std::uint32_t>(channels_used_));
  if (inserted && channels_used_++ == channels_.size()) channels_.emplace_back();
  Channel& channel = channels_[position->second];
  channel.actor.type = Actor::Type::delivery;
  channel.actor.owner = position->second;
  return channel;
}

void MessageSystem::expect_head(Channel& channel) {
  if (channel.first == no_message) return;
  const MessageState& head = messages_[channel.first];
  if (head.is_held) return;
  channel.actor.alternative = {head.sender, head.sender, mailbox(head.envelope.destination).id(),
                               OperationKind::deliver, /*weight=*/1};
  machine_.agenda().add(channel.actor, std::max(head.date, machine_.now()));
}

void MessageSystem::start_transfer(MessageIndex index, std::int32_t from, std::int32_t to,
                                   std::uint64_t size_bytes) {
  const TransferId id = transfers_.begin(index, [this](TransferId transfer, MessageIndex message) {
    return !is_under_way(transfer, message);
  });
  messages_[index].transfer = id;
  messages_[index].date = VirtualTime::never();
  if (machine_.faults().is_on() && is_kept_back(index, from, to)) return;
  const MessageState& message = messages_[index];
  const bool begins_message = message.phase == MessageState::Phase::in_flight && !message.is_call &&
                              is_of_program(message.envelope.context);
  network_->start(
      {id,
       host_of(from),
       host_of(to),
       size_bytes,
       {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), begins_message}},
      machine_.now(), dates_);
  machine_.set_network_event(network_->next_event());
  apply_dates();
}

bool MessageSystem::is_under_way(TransferId transfer, MessageIndex index) const {
  const MessageState& message = messages_[index];
  if (message.transfer != transfer) return false;
  using Phase = MessageState::Phase;
  return message.phase != Phase::arrived && message.phase != Phase::claimed &&
         message.phase != Phase::done;
}

void MessageSystem::apply_dates() {
  for (const auto& [transfer, date] : dates_) {
    const MessageIndex index = transfers_.message_of(transfer);
    // Delivered ahead of its date by the reorder window: the network is behind.
    if (index == no_message || !is_under_way(transfer, index)) continue;
    MessageState& message = messages_[index];
    using Phase = MessageState::Phase;
    message.date = date + message.delay;
    Actor* actor = &message.actor;
    if (message.phase == Phase::in_flight) {
      Channel& channel = channel_of(message.envelope);
      if (channel.first != index) continue;  // its turn comes when it is the head
      actor = &channel.actor;
      if (actor->place == Actor::Place::nowhere) {
        expect_head(channel);
        continue;
      }
    }
    if (actor->place == Actor::Place::nowhere) {
      machine_.agenda().add(*actor, message.date);
    } else {
      machine_.agenda().update(*actor, message.date);
    }
  }
  dates_.clear();
}

void MessageSystem::advance_network(VirtualTime date) {
  network_->advance(date, dates_);
  machine_.set_network_event(network_->next_event());
  apply_dates();
}

void MessageSystem::finalize(std::uint32_t host) {
  network_->finalize(host, machine_.now(), dates_);
  machine_.set_network_event(network_->next_event());
  apply_dates();
}

void MessageSystem::start_phase(MessageIndex index, MessageState::Phase phase) {
  MessageState& message = messages_[index];
  message.phase = phase;
  message.delay = {};  // the part before was late, if any
  message.actor.type = Actor::Type::transfer;
  message.actor.place = Actor::Place::nowhere;
  message.actor.owner = index;
  message.actor.alternative = {message.sender, message.sender,
                               mailbox(message.envelope.destination).id(), OperationKind::transfer,
                               /*weight=*/1};
  const auto& [context, source, destination, tag] = message.envelope;
  if (phase == MessageState::Phase::data) {
    start_transfer(index, source, destination, message.payload.size());
  } else {
    const bool is_answer = phase == MessageState::Phase::answer;
    start_transfer(index, destination, source, is_answer ? message.payload.size() : 0);
  }
}

void MessageSystem::transfer_arrived(MessageIndex index) {
  MessageState& message = messages_[index];
  using Phase = MessageState::Phase;
  if (message.phase == Phase::clear_to_send) {
    start_phase(index, Phase::data);
    return;
  }
  if (message.phase == Phase::answer) {
    take_answer(index);
    return;
  }
  const bool had_data = message.phase == Phase::data;
  message.phase = Phase::done;
  const RequestHandle sender = message.send_request;
  const RequestHandle receiver = message.receive_request;
  message.send_request = 0;
  if (sender != 0) complete(sender, message.received_by);
  if (had_data) complete(receiver, message.sender);
  drop(index);
}

void MessageSystem::drop(MessageIndex index) {
  // A message lives until both ends are through with it.
  const MessageState& message = messages_[index];
  if (message.phase != MessageState::Phase::done || message.receive_request != 0) return;
  if (message.is_call && message.send_request != 0) return;
  free_messages_.push_back(index);
}

}  // namespace orrery::detail
