#include "message_history.hpp"

namespace orrery::detail {

bool MessageHistory::may_end_message(OperationKind kind) {
  using Kind = OperationKind;
  return kind == Kind::receive || kind == Kind::wait || kind == Kind::select ||
         kind == Kind::test || kind == Kind::probe || kind == Kind::try_probe;
}

EventMask MessageHistory::interest() {
  return HappensBefore::interest() | EventMask::matching();
}

void MessageHistory::clear() {
  order_.clear();
  places_.clear();
  messages_.clear();
  receivers_.clear();
  message_index_.clear();
  receiver_index_.clear();
  calls_.clear();
}

void MessageHistory::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors);
}

std::optional<std::uint32_t> MessageHistory::message_of(OperationId send) const {
  const auto found = message_index_.find(send.packed());
  if (found == message_index_.end()) return std::nullopt;
  return found->second;
}

void MessageHistory::add_message(const MatchingStep& step) {
  const TaskId sender = step.send.task;
  if (step.is_call) {
    calls_[step.send.packed()] = order_.clock(sender);
  } else {
    message_index_[step.send.packed()] = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back({step.send, step.context, step.source, step.destination, step.tag, 0,
                         places_.number_of(step.where), order_.clock(sender), nobody});
  }
  order_.begin_stretch(sender);
}

Receiver& MessageHistory::add_receiver(const MatchingStep& step) {
  receiver_index_[step.receiver.packed()] = static_cast<std::uint32_t>(receivers_.size());
  Receiver& added = receivers_.emplace_back();
  added.id = step.receiver;
  added.context = step.context;
  added.destination = step.destination;
  added.source = step.source;
  added.tag = step.tag;
  added.place = places_.number_of(step.where);
  added.clock = order_.clock(step.receiver.task);
  return added;
}

void MessageHistory::on_matching(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  if (step.kind == Kind::sent) return add_message(step);
  if (step.kind == Kind::posted) {
    add_receiver(step);
    return;
  }
  if (step.kind == Kind::seen) {
    Receiver& probe = add_receiver(step);
    probe.is_probe = true;
    probe.message = message_of(step.send).value_or(nobody);
    return;
  }
  const auto found = receiver_index_.find(step.receiver.packed());
  if (found == receiver_index_.end()) return;
  Receiver& receiver = receivers_[found->second];
  if (step.kind == Kind::withdrawn) {
    receiver.is_withdrawn = true;
    return;
  }
  const auto message = message_of(step.send);
  if (!message) return;
  receiver.message = *message;
  messages_[*message].taken_by = found->second;
}

void MessageHistory::complete_receive(TaskId task, std::uint32_t message) {
  const std::uint32_t taker = messages_[message].taken_by;
  order_.learn(task, messages_[message].clock);
  order_.begin_stretch(task);
  if (taker == nobody) return;
  order_.learn(task, receivers_[taker].clock);
  receivers_[taker].known.push_back(order_.now(task));
}

void MessageHistory::complete_send(TaskId task, std::uint32_t receiver) {
  order_.learn(task, receivers_[receiver].clock);
  order_.begin_stretch(task);
  receivers_[receiver].known.push_back(order_.now(task));
}

void MessageHistory::on_event(const Event& event) {
  if (event.kind == OperationKind::send) {
    if (const auto sent = message_of(event.id)) messages_[*sent].size_bytes = event.size_bytes;
    return;
  }
  if (!may_end_message(event.kind)) return order_.apply(event);
  if (event.matched.number == 0) return;
  const TaskId task = event.id.task;
  if (event.kind == OperationKind::probe || event.kind == OperationKind::try_probe) {
    const auto probe = receiver_index_.find(event.id.packed());
    const auto seen = message_of(event.matched);
    if (!seen) return;
    order_.learn(task, messages_[*seen].clock);
    order_.begin_stretch(task);
    if (probe != receiver_index_.end()) receivers_[probe->second].known.push_back(order_.now(task));
    return;
  }
  const bool has_payload = event.peer != any_source;
  if (const auto message = message_of(event.matched)) {
    // Else it is a buffered send that is complete by itself.
    if (has_payload) complete_receive(task, *message);
    return;
  }
  const auto receiver = receiver_index_.find(event.matched.packed());
  if (receiver != receiver_index_.end()) return complete_send(task, receiver->second);
  const auto call = calls_.find(event.matched.packed());
  if (call != calls_.end()) return order_.learn(task, call->second);
  order_.apply(event);
}

}  // namespace orrery::detail
