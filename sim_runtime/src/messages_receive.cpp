// The receiving half: from an arrival to a completed request.
#include <algorithm>

#include <orrery/network_model/usage_error.hpp>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {
namespace {

Operation receive_operation(OperationKind kind, const MessagePattern& pattern, ObjectId mailbox,
                            VirtualTime deadline, const SourceLocation& where) {
  Operation operation;
  operation.kind = kind;
  operation.peer = pattern.source;
  operation.tag = pattern.tag;
  operation.value = pattern.context;
  operation.object = mailbox;
  operation.deadline = deadline;
  operation.where = &where;
  return operation;
}

}  // namespace

std::int32_t MessageSystem::running_rank() const {
  return machine_.process_at(machine_.running().process).rank;
}

RequestHandle MessageSystem::new_request(bool is_receive, const MessagePattern& pattern,
                                         const SourceLocation& where) {
  if (free_requests_.empty()) {
    free_requests_.push_back(static_cast<RequestHandle>(requests_.size()));
    requests_.emplace_back();
  }
  const RequestHandle handle = free_requests_.back();
  free_requests_.pop_back();
  RequestState& request = requests_[handle];
  request = {};
  request.in_use = true;
  request.is_receive = is_receive;
  request.owner = running_rank();
  request.pattern = pattern;
  request.started_by = machine_.running().current_id();
  request.started_at = where;
  return handle;
}

void MessageSystem::recycle(RequestHandle handle) {
  RequestState& request = requests_[handle];
  request.in_use = false;
  free_requests_.push_back(handle);
  if (request.is_receive && request.message != no_message) {
    messages_[request.message].receive_request = 0;
    drop(request.message);
  }
  if (request.call != nullptr && request.message != no_message) {
    messages_[request.message].send_request = 0;
    drop(request.message);
  }
}

void MessageSystem::release(RequestHandle handle) {
  if (!is_valid(handle)) return;
  RequestState& request = requests_[handle];
  if (request.complete) {
    recycle(handle);
  } else {
    request.is_released = true;
  }
}

void MessageSystem::complete(RequestHandle handle, OperationId matched) {
  RequestState& request = requests_[handle];
  request.complete = true;
  request.matched = matched;
  if (request.waiter != nullptr) count_completion(request);
  const std::int32_t owner = request.owner;
  if (request.is_released) recycle(handle);
  machine_.reconsider(mailbox(owner));
}

void MessageSystem::match(RequestHandle handle, MessageIndex index) {
  RequestState& request = requests_[handle];
  MessageState& message = messages_[index];
  const bool is_claimed = message.phase == MessageState::Phase::claimed;
  if (!is_claimed) {
    tell_receiver(MatchingStep::Kind::taken, request, message.sender);
    machine_.checkpoints().is_reached(message, request.started_by);
  }
  request.message = index;
  message.receive_request = handle;
  message.received_by = request.started_by;
  if (message.is_rendezvous) {
    start_phase(index, MessageState::Phase::clear_to_send);
    machine_.reconsider(mailbox(request.owner));  // another task may have wanted it, too
    return;
  }
  if (message.is_synchronous && message.send_request != 0) {
    start_phase(index, MessageState::Phase::acknowledgement);
  } else {
    message.phase = MessageState::Phase::done;
  }
  complete(handle, message.sender);
}

MessageIndex MessageSystem::choose_match(const MessagePattern& pattern, OperationId asker) {
  const auto all = mailbox(pattern.destination).candidates(pattern);
  auto found = all;
  if (Chooser* const constraint = machine_.constraint(); constraint != nullptr) {
    candidate_alternatives_.clear();
    candidate_messages_.clear();
    for (std::size_t i = 0; i < found.messages.size(); ++i) {
      Alternative alternative = found.alternatives[i];
      alternative.asker = asker;
      if (!constraint->admits(alternative)) continue;
      candidate_alternatives_.push_back(alternative);
      candidate_messages_.push_back(found.messages[i]);
    }
    found = {candidate_alternatives_, candidate_messages_};
  }
  if (found.messages.empty()) return no_message;
  asked_candidates_ = found.messages;
  if (found.messages.size() == 1) {
    machine_.tell_chosen(ChoiceKind::message, all.alternatives, found.alternatives.front().id);
    return found.messages.front();
  }
  return found.messages[machine_.choose(ChoiceKind::message, found.alternatives)];
}

bool MessageSystem::has_candidates(std::int32_t rank, const Operation& receive) const {
  const MessagePattern pattern{static_cast<std::uint32_t>(receive.value), receive.peer, rank,
                               receive.tag};
  return !mailboxes_[static_cast<std::size_t>(rank)]->candidates(pattern).messages.empty();
}

std::size_t MessageSystem::oldest_candidate() const {
  std::size_t oldest = 0;
  for (std::size_t i = 1; i < asked_candidates_.size(); ++i) {
    if (messages_[asked_candidates_[i]].arrival_order <
        messages_[asked_candidates_[oldest]].arrival_order) {
      oldest = i;
    }
  }
  return oldest;
}

void MessageSystem::deliver(std::uint32_t channel_index) {
  Channel& channel = channels_[channel_index];
  const MessageIndex index = channel.first;
  MessageState& message = messages_[index];
  channel.first = message.next_in_channel;
  if (channel.first == no_message) channel.last = no_message;
  message.phase = MessageState::Phase::arrived;
  message.arrival_order = arrivals_++;
  const std::int32_t destination = message.envelope.destination;
  if (machine_.wants(OperationKind::deliver) && !message.is_lost) {
    Event event;
    event.id = message.sender;
    event.kind = OperationKind::deliver;
    event.object = mailbox(destination).id();
    event.peer = destination;
    event.tag = message.envelope.tag;
    event.size_bytes = message.payload.size();
    machine_.tell(event);
  }
  expect_head(channel);
  if (message.is_lost || machine_.process_of_rank(destination).is_down) {
    // A request that waits for it for ever still names it: then its place is not used again.
    message.phase = MessageState::Phase::in_flight;
    if (message.send_request != 0) return;
    message.cancelled = true;
  }
  if (message.cancelled) {
    message.phase = MessageState::Phase::done;
    drop(index);
    return;
  }
  if (message.turned_bit != 0) {
    const std::uint64_t bit = message.turned_bit - 1;
    message.payload[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << (bit % 8);
  }
  if (message.is_call) return take_call(index);
  if (offer(index)) return;
  mailbox(destination).insert(index);
  machine_.reconsider(mailbox(destination));
}

// What is withheld lies in the mailbox: messages of the same sender that fit as well do not
// overtake it (MPI 3.1, section 3.5).
bool MessageSystem::waits_behind_another(const MessageState& message, const RequestState& request) {
  MessagePattern pattern = request.pattern;
  pattern.source = message.envelope.source;
  return !mailbox(pattern.destination).candidates(pattern).messages.empty();
}

bool MessageSystem::offer(MessageIndex index) {
  const MessageState& message = messages_[index];
  Mailbox& box = mailbox(message.envelope.destination);
  Chooser* const constraint = machine_.constraint();
  box.matching_posts(message.envelope, constraint == nullptr ? 1 : box.posted_count(), posts_);
  for (const RequestHandle handle : posts_) {
    const RequestState& request = requests_[handle];
    const Alternative alternative{message.sender, request.started_by, box.id(),
                                  OperationKind::receive, /*weight=*/1};
    if (constraint != nullptr &&
        (waits_behind_another(message, request) || !constraint->admits(alternative))) {
      has_withheld_ = true;
      continue;
    }
    box.unpost(handle, request.pattern);
    match(handle, index);
    return true;
  }
  return false;
}

void MessageSystem::readmit() {
  has_withheld_ = false;
  for (std::size_t rank = 0; rank < mailboxes_used_; ++rank) {
    Mailbox& box = *mailboxes_[rank];
    if (box.arrived_count() == 0) continue;
    // Blocking receives look for themselves; posted ones are offered what has arrived.
    for (RequestHandle handle = 1; box.posted_count() > 0 && handle < requests_.size(); ++handle) {
      const RequestState& request = requests_[handle];
      const bool is_posted = request.in_use && request.is_receive && !request.complete &&
                             request.message == no_message && !request.cancelled &&
                             request.owner == static_cast<std::int32_t>(rank);
      if (!is_posted) continue;
      const MessageIndex index = choose_match(request.pattern, request.started_by);
      if (index == no_message) {
        has_withheld_ = has_withheld_ || !box.candidates(request.pattern).messages.empty();
        continue;
      }
      box.remove(index);
      box.unpost(handle, request.pattern);
      match(handle, index);
    }
    machine_.reconsider(box);
  }
}

RequestHandle MessageSystem::receive(const MessagePattern& pattern, VirtualTime deadline,
                                     const SourceLocation& where) {
  Mailbox& box = mailbox(pattern.destination);
  const Operation operation =
      receive_operation(OperationKind::receive, pattern, box.id(), deadline, where);
  static_cast<void>(machine_.expected(operation));
  const bool in_time = machine_.announce(operation, &box);
  machine_.faults().before_operation();
  if (machine_.is_unwinding()) return 0;
  if (deadline != VirtualTime::never() && machine_.wants_outcomes()) {
    machine_.tell_outcome(operation.kind, {.succeeded = in_time});
  }
  if (!in_time) {
    machine_.told(operation, {}, 0, /*timed_out=*/true);
    return 0;
  }
  const MessageIndex index = choose_match(pattern, machine_.running().current_id());
  if (index == no_message && is_cut_off(pattern.destination, pattern.source)) {
    machine_.told(operation);
    return failed_receive(pattern, where);
  }
  const RequestHandle handle = new_request(true, pattern, where);
  ensure(index != no_message, "an enabled receive has a message", pattern.source, pattern.tag);
  tell_receiver(MatchingStep::Kind::posted, requests_[handle]);
  box.remove(index);
  match(handle, index);
  if (!requests_[handle].complete) {
    const RequestHandle handles[] = {handle};
    wait({handles, true}, VirtualTime::never(), OperationKind::wait, where);
  } else {
    tell_completed(handle, OperationKind::receive, where);
  }
  machine_.checkpoints().may_have_got();
  return handle;
}

RequestHandle MessageSystem::start_receive(const MessagePattern& pattern,
                                           const SourceLocation& where) {
  Mailbox& box = mailbox(pattern.destination);
  const Operation operation = receive_operation(OperationKind::post_receive, pattern, box.id(),
                                                VirtualTime::never(), where);
  static_cast<void>(machine_.expected(operation));
  machine_.announce(operation);
  machine_.faults().before_operation();
  if (machine_.is_unwinding()) return 0;
  const RequestHandle handle = new_request(true, pattern, where);
  tell_receiver(MatchingStep::Kind::posted, requests_[handle]);
  const MessageIndex index = choose_match(pattern, requests_[handle].started_by);
  if (index == no_message && is_cut_off(pattern.destination, pattern.source)) {
    requests_[handle].has_failed = requests_[handle].complete = true;
  } else if (index == no_message) {
    has_withheld_ = has_withheld_ || !box.candidates(pattern).messages.empty();
    box.post(handle, pattern);
  } else {
    box.remove(index);
    match(handle, index);
  }
  machine_.told(operation);
  return handle;
}

RequestHandle MessageSystem::start_event(const SourceLocation& where) {
  MessagePattern own;
  own.source = own.destination = running_rank();
  const RequestHandle handle = new_request(false, own, where);
  requests_[handle].is_event = true;
  return handle;
}

void MessageSystem::complete_event(RequestHandle handle) {
  // What another rank completes is nobody's doing: it happened to be the last.
  const bool is_own = requests_[handle].owner == running_rank();
  complete(handle, is_own ? machine_.running().current_id() : OperationId{});
}

void MessageSystem::tell_completed(RequestHandle handle, OperationKind kind,
                                   const SourceLocation& where) {
  RequestState& request = requests_[handle];
  request.is_known = true;
  if (!machine_.wants(kind)) return;
  Event event;
  event.id = machine_.running().current_id();
  event.kind = kind;
  event.object = mailbox(running_rank()).id();
  // An event that the task has completed itself stands for nothing.
  const bool is_alone = request.is_event && request.matched.task == event.id.task;
  event.matched = is_alone ? OperationId{} : request.matched;
  event.where = &where;
  if (has_payload(request)) {
    const MessageState& message = messages_[request.message];
    event.peer = request.is_receive ? message.envelope.source : message.envelope.destination;
    event.tag = message.envelope.tag;
    event.size_bytes = message.payload.size();
    event.payload_hash = payload_hash(message.payload);
  }
  machine_.tell(event);
}

bool MessageSystem::is_too_late(RequestHandle handle) const {
  const RequestState& request = requests_[handle];
  if (request.complete || request.call != nullptr) return true;
  if (request.is_receive) return request.message != no_message;
  const MessageState::Phase phase = messages_[request.message].phase;
  return phase != MessageState::Phase::in_flight && phase != MessageState::Phase::arrived;
}

bool MessageSystem::is_too_late(const Task& task) const {
  return is_too_late(static_cast<const SelectSpec*>(task.select)->requests.front());
}

bool MessageSystem::cancel(RequestHandle handle, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::cancel;
  operation.object = mailbox(running_rank()).id();
  operation.value = requests_[handle].started_by.packed();
  operation.where = &where;
  const OpenOutcome* const expected = machine_.expected(operation);
  const bool must_be_late = expected != nullptr && !expected->succeeded;
  const RequestHandle handles[] = {handle};
  const SelectSpec spec{handles, true};
  machine_.running().select = &spec;
  machine_.announce(operation, must_be_late ? &mailbox(running_rank()) : nullptr);
  machine_.running().select = nullptr;
  if (machine_.is_unwinding()) return false;
  // Nobody here knows of one that is received elsewhere, but a replay says so.
  const bool is_cancelled = requests_[handle].had_to_wait
                                ? expected != nullptr && expected->succeeded
                                : !is_too_late(handle);
  if (machine_.wants_outcomes()) {
    machine_.tell_outcome(operation.kind,
                          {.succeeded = is_cancelled, .about = requests_[handle].started_by});
  }
  if (!is_cancelled) return false;
  RequestState& request = requests_[handle];
  if (request.is_receive) {
    mailbox(request.owner).unpost(handle, request.pattern);
    tell_receiver(MatchingStep::Kind::withdrawn, request);
  } else if (!request.had_to_wait) {
    MessageState& message = messages_[request.message];
    if (message.phase == MessageState::Phase::arrived) {
      mailbox(message.envelope.destination).remove(request.message);
      message.phase = MessageState::Phase::done;
      drop(request.message);
    } else {
      message.cancelled = true;  // dropped when it arrives
      message.send_request = 0;
    }
  }
  request.cancelled = true;
  complete(handle, {});
  machine_.told(operation);
  return true;
}

MessageIndex MessageSystem::look(const MessagePattern& pattern, bool is_poll, bool takes,
                                 const SourceLocation& where) {
  Mailbox& box = mailbox(pattern.destination);
  const auto kind = is_poll ? OperationKind::try_probe : OperationKind::probe;
  const Operation operation =
      receive_operation(kind, pattern, box.id(), VirtualTime::never(), where);
  const OpenOutcome* const expected = machine_.expected(operation);
  const bool must_fail = is_poll && expected != nullptr && !expected->succeeded;
  const bool waits = !is_poll || (expected != nullptr && expected->succeeded);
  machine_.announce(operation, waits ? &box : nullptr);
  if (machine_.is_unwinding()) return no_message;
  const MessageIndex index =
      must_fail ? no_message : choose_match(pattern, machine_.running().current_id());
  if (is_poll && machine_.wants_outcomes()) {
    machine_.tell_outcome(kind, {.succeeded = index != no_message});
  }
  if (index == no_message) {
    if (!is_poll) return no_message;         // it can never come: see `is_cut_off`
    if (!must_fail) machine_.poll_failed();  // as in `test`
    machine_.told(operation);
    return no_message;
  }
  if (machine_.wants_matching()) {
    RequestState looking;
    looking.pattern = pattern;
    looking.started_by = machine_.running().current_id();
    looking.started_at = where;
    using Kind = MatchingStep::Kind;
    if (takes) tell_receiver(Kind::posted, looking);
    tell_receiver(takes ? Kind::taken : Kind::seen, looking, messages_[index].sender);
  }
  machine_.checkpoints().is_reached(messages_[index], machine_.running().current_id());
  machine_.told(operation, messages_[index].sender);
  return index;
}

std::optional<Envelope> MessageSystem::probe(const MessagePattern& pattern, bool is_poll,
                                             const SourceLocation& where) {
  const MessageIndex index = look(pattern, is_poll, /*takes=*/false, where);
  if (index == no_message) return std::nullopt;
  const MessageState& message = messages_[index];
  const Envelope found{message.envelope.source, message.envelope.tag, message.payload.size()};
  machine_.checkpoints().may_have_got();
  return found;
}

Envelope MessageSystem::envelope(RequestHandle handle) const {
  const RequestState& request = requests_[handle];
  if (!has_payload(request)) return {};
  const MessageState& message = messages_[request.message];
  return {message.envelope.source, message.envelope.tag, message.payload.size()};
}

std::span<const std::byte> MessageSystem::payload(RequestHandle handle) const {
  const RequestState& request = requests_[handle];
  if (!has_payload(request)) return {};
  return messages_[request.message].payload;
}

std::uint64_t MessageSystem::note(RequestHandle handle) const {
  const RequestState& request = requests_[handle];
  return request.is_receive && request.message != no_message ? messages_[request.message].note : 0;
}

bool MessageSystem::has_receive(const MessagePattern& to) {
  if (is_elsewhere(to.destination)) return true;
  const Mailbox& box = mailbox(to.destination);
  std::vector<RequestHandle> taken;
  std::vector<RequestHandle> matching;
  const auto take_oldest = [&](const MessagePattern& message) {
    box.matching_posts(message, taken.size() + 1, matching);
    for (const RequestHandle handle : matching) {
      if (std::ranges::find(taken, handle) != taken.end()) continue;
      taken.push_back(handle);
      return true;
    }
    return false;
  };
  for (MessageIndex index = channel_of(to).first; index != no_message;
       index = messages_[index].next_in_channel) {
    if (!messages_[index].cancelled) take_oldest(messages_[index].envelope);
  }
  return take_oldest(to);
}

void MessageSystem::for_each_active(const std::function<void(const RequestState&)>& report) const {
  for (const RequestState& request : requests_) {
    const bool is_front_ends = request.is_event || request.call != nullptr;
    if (request.in_use && !request.is_released && !is_front_ends) report(request);
  }
}

}  // namespace orrery::detail
