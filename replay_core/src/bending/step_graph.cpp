#include "step_graph.hpp"

#include <algorithm>
#include <cstddef>

namespace orrery::detail {
namespace {

using Kind = OperationKind;

/// Do messages order it, and no object?
bool is_of_messages(Kind kind) {
  return (kind >= Kind::send && kind <= Kind::transfer) || kind == Kind::recover;
}

/// May what waits for the same object go on by it?
bool signals(Kind kind) {
  return kind == Kind::semaphore_release || kind == Kind::condition_notify ||
         kind == Kind::barrier_arrive || kind == Kind::latch_count_down || kind == Kind::once_end ||
         kind == Kind::call;
}

bool waits_for_signal(Kind kind) {
  return kind == Kind::semaphore_acquire || kind == Kind::semaphore_try_acquire ||
         kind == Kind::barrier_wait || kind == Kind::latch_wait || kind == Kind::once_begin ||
         kind == Kind::call;
}

}  // namespace

EventMask StepGraph::interest() {
  return MessageHistory::interest() | EventMask::steps() | EventMask::tasks() |
         EventMask::outcomes() | EventMask::of(Kind::join) | EventMask::of(Kind::condition_wait) |
         EventMask::of(Kind::post_receive);
}

StepGraph::TaskLife& StepGraph::life(TaskId task) {
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  return tasks_[task.value];
}

std::span<const StepEdge> StepGraph::edges_to(std::uint32_t step) const {
  const std::size_t end = step + 1 < first_edge_.size() ? first_edge_[step + 1] : edges_.size();
  return std::span(edges_).subspan(first_edge_[step], end - first_edge_[step]);
}

std::optional<std::uint32_t> StepGraph::step_of(OperationId operation) const {
  const auto found = step_index_.find(operation.packed());
  if (found == step_index_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> StepGraph::receiver_of(OperationId operation) const {
  const auto found = receiver_index_.find(operation.packed());
  if (found == receiver_index_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> StepGraph::operations_of(TaskId task) const {
  if (task.value >= tasks_.size()) return std::nullopt;
  return tasks_[task.value].operations;
}

std::uint32_t StepGraph::delivery(std::uint32_t message) const {
  return message < deliveries_.size() ? deliveries_[message] : nobody;
}

// --- steps --------------------------------------------------------------------------------------

void StepGraph::begin_step(GraphStep step) {
  first_edge_.push_back(edges_.size());
  steps_.push_back(step);
}

void StepGraph::add_edge(std::uint32_t from, StepOrder order, std::uint32_t about) {
  if (from == nobody || steps_.empty() || from == now()) return;
  edges_.push_back({from, order, about});
}

void StepGraph::on_task(TaskId task, std::span<const TaskId> predecessors) {
  history_.on_task(task, predecessors);
  for (const TaskId one : predecessors) {
    const std::uint32_t last = life(one).last;
    life(task).starters.push_back(last);
  }
  if (task.value != 0) {
    starters_.push_back(predecessors.empty() ? TaskId{0} : predecessors.front());
  }
}

void StepGraph::on_step(const Alternative& taken) {
  begin_step({taken.id, taken.kind});
  steps_taken_ = static_cast<std::uint32_t>(steps_.size());
  object_ = taken.object;
  if (is_machine_step(taken.kind)) {
    add_machine_step(taken.id, taken.kind);
  } else {
    add_task_step(taken);
  }
}

void StepGraph::add_machine_step(OperationId send, Kind kind) {
  const auto found = sent_.find(send.packed());
  if (found == sent_.end()) {
    add_edge(life(send.task).last, StepOrder::travel);
    return;
  }
  Sent& sent = found->second;
  add_edge(sent.progress, StepOrder::travel);
  sent.progress = now();
  if (kind == Kind::deliver && !sent.is_delivered) return note_delivery(sent, send);
  life(send.task).arrivals.push_back(now());
  const auto message = history_.message_of(send);
  if (!message) return;
  const auto target = task_of_rank_.find(sent.destination);
  if (target != task_of_rank_.end()) life(target->second).arrivals.push_back(now());
  note_taking(*message, StepOrder::answer);
}

/// What comes now needs that the message is taken: that it has come, and that its receive has
/// begun.
void StepGraph::note_taking(std::uint32_t number, StepOrder order) {
  const SentMessage& message = history_.messages()[number];
  if (message.taken_by == nobody) return;
  const ReceiverLife& taking = lives_[message.taken_by];
  add_edge(taking.match, order, message.taken_by);
  if (taking.begin != taking.match) add_edge(taking.begin, order, message.taken_by);
  const auto claims = claims_.find(taking.mailbox.packed());
  if (steps_[taking.begin].kind == Kind::post_receive || claims == claims_.end()) return;
  const auto claim = std::find_if(
      claims->second.rbegin(), claims->second.rend(),
      [&](const Claim& one) { return one.source == message.source && one.tag == message.tag; });
  if (claim != claims->second.rend()) add_edge(claim->step, order, message.taken_by);
}

void StepGraph::note_delivery(Sent& sent, OperationId send) {
  sent.is_delivered = true;
  add_edge(channels_[sent.channel], StepOrder::channel);
  channels_[sent.channel] = now();
  if (const auto message = history_.message_of(send)) {
    if (*message >= deliveries_.size()) deliveries_.resize(std::size_t{*message} + 1, nobody);
    deliveries_[*message] = now();
    note_served(*message);
  }
  const auto target = task_of_rank_.find(sent.destination);
  if (target == task_of_rank_.end()) return;
  TaskLife& answering = life(target->second);
  answering.arrivals.push_back(now());
  if (!sent.is_call) return;
  // Answered in the memory of a rank: between what that rank does before and after.
  add_edge(answering.last, StepOrder::object);
  add_edge(answering.last_call, StepOrder::object);
  answering.last_call = now();
}

void StepGraph::add_task_step(const Alternative& taken) {
  step_index_.try_emplace(taken.id.packed(), now());
  TaskLife& self = life(taken.id.task);
  self.operations = std::max(self.operations, taken.id.number);
  add_edge(self.last, StepOrder::program);
  for (const std::uint32_t starter : self.starters) add_edge(starter, StepOrder::start);
  self.starters.clear();
  add_edge(self.last_call, StepOrder::object);
  self.last_call = nobody;
  if (self.sleeps_on != ObjectId{}) {
    const std::vector<std::uint32_t>& signals = objects_[self.sleeps_on.packed()].signals;
    for (std::size_t i = signals.size(); i-- > 0 && signals[i] > self.last;) {
      add_edge(signals[i], StepOrder::signal);
    }
    self.sleeps_on = {};
  }
  self.last = now();
  if (taken.object != ObjectId{} && !is_of_messages(taken.kind)) {
    note_object(taken.object, taken.kind);
  }
}

void StepGraph::note_object(ObjectId object, Kind kind) {
  ObjectLife& self = objects_[object.packed()];
  if (waits_for_signal(kind)) {
    for (const std::uint32_t signal : self.signals) add_edge(signal, StepOrder::signal);
    self.was_waited_for = true;
  }
  if (signals(kind)) {
    if (self.was_waited_for) self.signals.clear();
    self.was_waited_for = false;
    self.signals.push_back(now());
  }
  add_edge(self.last_change, StepOrder::object);
  if (kind == Kind::read) {
    self.reads.push_back(now());
    return;
  }
  for (const std::uint32_t read : self.reads) add_edge(read, StepOrder::object);
  self.reads.clear();
  self.last_change = now();
}

// --- messages -----------------------------------------------------------------------------------

void StepGraph::note_sent(const MatchingStep& step) {
  task_of_rank_.try_emplace(step.source, step.send.task);
  const auto [found, is_new] = channel_index_.try_emplace(
      {step.context, step.source, step.destination}, static_cast<std::uint32_t>(channels_.size()));
  if (is_new) channels_.push_back(nobody);
  sent_[step.send.packed()] = {now(), found->second, step.destination, step.is_call, false};
  sends_.push_back(step.send);
}

void StepGraph::on_matching(const MatchingStep& step) {
  history_.on_matching(step);
  using What = MatchingStep::Kind;
  if (step.kind == What::sent) return note_sent(step);
  if (step.kind == What::posted || step.kind == What::seen) {
    const auto receiver = static_cast<std::uint32_t>(history_.receivers().size() - 1);
    receiver_index_[step.receiver.packed()] = receiver;
    lives_.push_back({now(), nobody, object_});
    task_of_rank_.try_emplace(step.destination, step.receiver.task);
    if (step.kind == What::posted) {
      begun_[step.destination].push_back(receiver);
    } else {
      note_taken(receiver);
    }
    return;
  }
  const auto receiver = receiver_of(step.receiver);
  if (!receiver) return;
  if (step.kind == What::withdrawn) {
    lives_[*receiver].match = now();
    return;
  }
  note_taken(*receiver);
}

void StepGraph::note_taken(std::uint32_t receiver) {
  const Receiver& self = history_.receivers()[receiver];
  lives_[receiver].match = now();
  if (self.message == nobody) return;
  if (!self.is_probe) {
    std::erase(waiting_[self.destination], self.message);
    forget_those_before(receiver);
  }
  if (steps_.back().id != self.id) return;
  // One that does not block would have begun without it, too, unless it had taken another one.
  const bool needs_it = steps_.back().kind != Kind::post_receive || has_other(self);
  add_edge(delivery(self.message), needs_it ? StepOrder::received : StepOrder::object, receiver);
}

/// A message goes to the first open receive that it fits: so those before have messages of their
/// own.
void StepGraph::note_served(std::uint32_t message) {
  const SentMessage& sent = history_.messages()[message];
  for (const std::uint32_t begun : begun_[sent.destination]) {
    const Receiver& receiver = history_.receivers()[begun];
    if (!receiver.matches(sent)) continue;
    if (receiver.message == nobody && !receiver.is_withdrawn) break;  // which gets it
    const bool found_it = lives_[begun].match == lives_[begun].begin;
    add_edge(found_it ? delivery(receiver.message) : lives_[begun].match, StepOrder::served, begun);
  }
  waiting_[sent.destination].push_back(message);
}

/// Is another message there that the receive could take?
bool StepGraph::has_other(const Receiver& receiver) const {
  const auto waiting = waiting_.find(receiver.destination);
  return waiting != waiting_.end() &&
         std::ranges::any_of(waiting->second, [&](std::uint32_t message) {
           return message != receiver.message && receiver.matches(history_.messages()[message]);
         });
}

/// Once its task knows of it a receive still has to be served before a message that it fits, whose
/// sender may know nothing of that.  But those who ask for the same are served one after the other,
/// so the newest ones stand for all: several, since the edges about one that is bent do not hold.
void StepGraph::forget_those_before(std::uint32_t receiver) {
  constexpr int kept = 4;
  const Receiver& newest = history_.receivers()[receiver];
  std::vector<std::uint32_t>& begun = begun_[newest.destination];
  int same = 0;
  for (std::size_t i = begun.size(); i-- > 0;) {
    const Receiver& one = history_.receivers()[begun[i]];
    const bool is_served = one.message != nobody || one.is_withdrawn;
    const bool asks_the_same =
        one.context == newest.context && one.source == newest.source && one.tag == newest.tag;
    if (!is_served || !asks_the_same || ++same <= kept) continue;
    begun.erase(begun.begin() + static_cast<std::ptrdiff_t>(i));
    return;  // one more, one less
  }
}

void StepGraph::on_outcome(OperationId operation, const OpenOutcome& outcome) {
  if (outcome.succeeded) {
    // Which ones are reported, of those that are complete, is told by their places.
    if (outcome.among > 1) note_found(operation.task);
    return;
  }
  life(operation.task).failed = operation.number;
  // What could not be cancelled was on its way.
  if (const auto receiver = receiver_of(outcome.about)) {
    add_edge(lives_[*receiver].match, StepOrder::received, *receiver);
  } else if (const auto message = history_.message_of(outcome.about)) {
    note_taking(*message, StepOrder::answer);
  }
}

/// Something is complete, and nobody says by what: an operation that goes on by itself, as
/// collective ones do that do not block.
void StepGraph::note_found(TaskId task) {
  TaskLife& self = life(task);
  for (const std::uint32_t arrival : self.arrivals) add_edge(arrival, StepOrder::object);
  self.arrivals.clear();
}

void StepGraph::on_event(const Event& event) {
  history_.on_event(event);
  if (event.kind == Kind::condition_wait) {
    const bool begins = event.gives_up != ObjectId{};
    life(event.id.task).sleeps_on = begins ? event.object : ObjectId{};
    return;
  }
  if (steps_.empty() || steps_.back().id != event.id) return;
  if (event.kind == Kind::post_receive && !receiver_of(event.id)) {
    claims_[event.object.packed()].push_back({event.peer, event.tag, now()});
    return;
  }
  if (event.kind == Kind::join) {
    if (event.matched.number != 0) add_edge(life(event.matched.task).last, StepOrder::signal);
    return;
  }
  const bool looks = event.kind == Kind::probe || event.kind == Kind::try_probe;
  if (looks || !MessageHistory::may_end_message(event.kind)) return;
  if (event.matched.number == 0) {
    if (life(event.id.task).failed != event.id.number) note_found(event.id.task);
    return;
  }
  const auto progress = [&](OperationId send) {
    const auto found = sent_.find(send.packed());
    return found == sent_.end() ? nobody : found->second.progress;
  };
  if (const auto message = history_.message_of(event.matched)) {
    // Without a peer it is a buffered send, complete by itself, or what a task has come to that
    // does a collective operation meanwhile.
    if (event.peer == any_source) {
      const auto step = step_of(event.matched);
      if (step && event.matched.task != event.id.task) add_edge(*step, StepOrder::signal);
      return;
    }
    const std::uint32_t receiver = history_.messages()[*message].taken_by;
    add_edge(progress(event.matched), StepOrder::received, receiver);
    return;
  }
  if (const auto receiver = receiver_of(event.matched)) {
    // A synchronous send is complete when its receive has begun; or see above.
    if (const auto step = step_of(event.matched)) add_edge(*step, StepOrder::signal);
    const std::uint32_t message = history_.receivers()[*receiver].message;
    if (message == nobody) return;
    add_edge(progress(history_.messages()[message].send), StepOrder::received, *receiver);
    return;
  }
  if (const std::uint32_t last = progress(event.matched); last != nobody) {
    add_edge(last, StepOrder::received);
  } else {
    // The receive of what a probe has claimed, maybe, whose message nothing names.
    if (const auto step = step_of(event.matched)) add_edge(*step, StepOrder::signal);
    note_found(event.id.task);
  }
}

void StepGraph::add_undelivered() {
  for (const OperationId send : sends_) {
    Sent& sent = sent_[send.packed()];
    if (sent.is_delivered || sent.is_call) continue;
    begin_step({send, Kind::deliver});
    add_edge(sent.progress, StepOrder::travel);
    sent.progress = now();
    note_delivery(sent, send);
  }
}

}  // namespace orrery::detail
