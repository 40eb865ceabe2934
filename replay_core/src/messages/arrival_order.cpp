#include "arrival_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <orrery/sim_runtime/contexts.hpp>

namespace orrery::detail {

void ArrivalOrder::begin(std::span<const OpenCalls> arrivals,
                         std::span<const TracedMessage> exceptions) {
  *this = {};
  for (const OpenCalls& calls : arrivals) arrivals_[calls.task.value] = &calls;
  for (const TracedMessage& one : exceptions) {
    exceptions_[{one.receiver.value, one.event}] = one.send;
    if (one.send != OperationId{}) excepted_.insert(one.send.packed());
  }
}

bool ArrivalOrder::fits(const Receive& receive, const Message& message) {
  return receive.context == message.context &&
         (receive.source == any_source || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

ArrivalOrder::Box* ArrivalOrder::box_of(TaskId task) {
  const auto rank = ranks_.find(task.value);
  return rank == ranks_.end() ? nullptr : &boxes_[rank->second];
}

const ArrivalOrder::Box* ArrivalOrder::box_of(TaskId task) const {
  const auto rank = ranks_.find(task.value);
  if (rank == ranks_.end()) return nullptr;
  const auto box = boxes_.find(rank->second);
  return box == boxes_.end() ? nullptr : &box->second;
}

void ArrivalOrder::link(TaskId task, std::int32_t rank) {
  if (!ranks_.try_emplace(task.value, rank).second) return;
  Box& box = boxes_[rank];
  if (const auto found = arrivals_.find(task.value);
      found != arrivals_.end() && box.arrivals == nullptr) {
    box.arrivals = found->second;
    for (const std::int32_t source : box.arrivals->sources) ++box.channels[source].in_record;
  }
  const auto waiting = pending_.extract(task.value);
  if (!waiting.empty()) {
    for (const Pending& one : waiting.mapped()) begin_at(box, one);
  }
  advance(box);
}

void ArrivalOrder::on_sent(const MatchingStep& step) {
  link(step.send.task, step.source);
  if (step.is_call || !is_of_program(step.context)) return;
  Box& box = boxes_[step.destination];
  Message message;
  message.send = step.send;
  message.context = step.context;
  message.source = step.source;
  message.tag = step.tag;
  Channel& channel = box.channels[step.source];
  targets_[step.send.packed()] = {step.destination, step.source, channel.sent_count()};
  channel.sent.push_back(message);
  advance(box);
}

void ArrivalOrder::begin_receive(OperationId id, const MatchingStep& asks_for, bool is_probe) {
  if (!is_of_program(asks_for.context)) return;
  const Pending begun{id, asks_for, is_probe};
  Box* const box = box_of(id.task);
  if (box == nullptr) {
    pending_[id.task.value].push_back(begun);
  } else {
    begin_at(*box, begun);
  }
}

void ArrivalOrder::begin_at(Box& box, const Pending& pending) {
  Receive receive;
  receive.id = pending.id;
  receive.context = pending.asks_for.context;
  receive.source = pending.asks_for.source;
  receive.tag = pending.asks_for.tag;
  receive.is_probe = pending.is_probe;
  receive.event = begun_[pending.id.task.value]++;
  const auto exception = exceptions_.find({pending.id.task.value, receive.event});
  if (exception != exceptions_.end()) {
    receive.is_exception = true;
    if (exception->second != OperationId{}) {
      Message message;
      message.send = exception->second;
      receive.message = message;
    }
  } else {
    find_message(box, receive);
  }
  box.receives.push_back(receive);
}

void ArrivalOrder::find_message(Box& box, Receive& receive) {
  const auto found = std::ranges::find_if(
      box.here, [&receive](const Message& message) { return fits(receive, message); });
  if (found == box.here.end()) return;
  receive.message = *found;
  if (!receive.is_probe) box.here.erase(found);
}

/// Lets come what has been sent, as far as the records tell in which order.
void ArrivalOrder::advance(Box& box) {
  if (box.arrivals == nullptr) return;
  const std::vector<std::int32_t>& sources = box.arrivals->sources;
  for (; box.come < sources.size(); ++box.come) {
    Channel& channel = box.channels[sources[box.come]];
    if (channel.come == channel.sent_count()) return;
    Message& message = channel.at(channel.come++);
    message.arrival = box.come;
    const bool is_for_one = message.is_taken || excepted_.contains(message.send.packed());
    if (!is_for_one) offer(box, message);
  }
}

void ArrivalOrder::offer(Box& box, const Message& message) {
  for (Receive& receive : box.receives) {
    if (receive.message || receive.is_exception || !fits(receive, message)) continue;
    receive.message = message;
    if (!receive.is_probe) return;
  }
  box.here.push_back(message);
}

/// After something was taken that was for another: all that have come, once more.
void ArrivalOrder::deal_again(Box& box) {
  std::deque<Message> all;
  all.swap(box.here);
  for (Receive& receive : box.receives) {
    if (receive.is_exception || !receive.message) continue;
    if (!receive.is_probe) all.push_back(*receive.message);
    receive.message.reset();
  }
  std::ranges::sort(all, {}, &Message::arrival);
  for (const Message& message : all) offer(box, message);
}

bool ArrivalOrder::may_take(OperationId send, OperationId receiver) {
  const auto target = targets_.find(send.packed());
  if (target == targets_.end()) return true;
  link(receiver.task, target->second.rank);
  Box& box = boxes_[target->second.rank];
  const auto receive = std::ranges::find(box.receives, receiver, &Receive::id);
  if (receive == box.receives.end()) return true;
  if (receive->message) return receive->message->send == send;
  if (receive->is_exception || excepted_.contains(send.packed())) return false;
  return receive->source != any_source && may_take_early(box, *receive, target->second);
}

/// A receive that names the sender may have its message before those of others have come.
bool ArrivalOrder::may_take_early(Box& box, const Receive& receive, const Target& target) {
  Channel& channel = box.channels[target.source];
  if (target.number >= channel.in_record) return true;  // it came when the recorded run was over
  if (target.number < channel.come) return false;       // it has come, and was another's
  const Message& message = channel.at(target.number);
  for (const Receive& earlier : box.receives) {
    if (earlier.id == receive.id) break;
    const bool is_open = !earlier.message && !earlier.is_exception && !earlier.is_probe;
    if (is_open && earlier.source == any_source && fits(earlier, message)) return false;
  }
  return true;
}

void ArrivalOrder::on_taken(OperationId send, OperationId receiver) {
  const auto found = targets_.extract(send.packed());
  if (found.empty()) return;
  const Target target = found.mapped();
  Box& box = boxes_[target.rank];
  const auto own = std::ranges::find(box.receives, receiver, &Receive::id);
  const bool was_for_it =
      own != box.receives.end() && own->message && own->message->send == send && !own->is_probe;
  std::optional<Message> given_up;
  if (own != box.receives.end()) {
    if (!was_for_it && !own->is_exception && !own->is_probe) given_up = own->message;
    box.receives.erase(own);
  }
  Channel& channel = box.channels[target.source];
  channel.at(target.number).is_taken = true;
  while (channel.done_with < channel.come && channel.sent.front().is_taken) {
    channel.sent.pop_front();
    ++channel.done_with;
  }
  if (!was_for_it) take_from_others(box, send, given_up);
}

/// It was taken by a receive that it was not for, and which may give up another one.
void ArrivalOrder::take_from_others(Box& box, OperationId send,
                                    const std::optional<Message>& given_up) {
  std::erase_if(box.here, [send](const Message& one) { return one.send == send; });
  bool must_deal_again = given_up.has_value();
  if (given_up) box.here.push_back(*given_up);
  for (Receive& other : box.receives) {
    if (other.is_exception || !other.message || other.message->send != send) continue;
    other.message.reset();
    must_deal_again = true;
  }
  if (must_deal_again) deal_again(box);
}

void ArrivalOrder::on_seen(OperationId receiver) {
  Box* const box = box_of(receiver.task);
  if (box == nullptr) return;
  std::erase_if(box->receives, [receiver](const Receive& one) { return one.id == receiver; });
}

void ArrivalOrder::on_withdrawn(OperationId receiver) {
  Box* const box = box_of(receiver.task);
  if (box == nullptr) return;
  const auto own = std::ranges::find(box->receives, receiver, &Receive::id);
  if (own == box->receives.end()) return;
  const bool must_deal_again = own->message && !own->is_exception;
  if (must_deal_again) box->here.push_back(*own->message);
  box->receives.erase(own);
  if (must_deal_again) deal_again(*box);
}

std::uint64_t ArrivalOrder::event_of(OperationId receiver) const {
  const Box* const box = box_of(receiver.task);
  if (box == nullptr) return 0;
  const auto own = std::ranges::find(box->receives, receiver, &Receive::id);
  return own == box->receives.end() ? 0 : own->event;
}

bool ArrivalOrder::is_exception(OperationId receiver) const {
  return exceptions_.contains({receiver.task.value, event_of(receiver)});
}

std::string ArrivalOrder::awaited_by(TaskId task) const {
  const Box* const box = box_of(task);
  if (box == nullptr || box->arrivals == nullptr) return {};
  const std::vector<std::int32_t>& sources = box->arrivals->sources;
  const bool waits = std::ranges::any_of(box->receives, [task](const Receive& one) {
    return one.id.task == task && !one.message && !one.is_exception && one.source == any_source;
  });
  if (!waits || box->come == sources.size()) return {};
  return fmt::format("a message of rank {}, the {}. of {} that came", sources[box->come],
                     box->come + 1, sources.size());
}

std::int32_t ArrivalOrder::rank_with_unsent() const {
  for (const auto& [rank, box] : boxes_) {
    if (box.arrivals != nullptr && box.come < box.arrivals->sources.size()) return rank;
  }
  return -1;
}

}  // namespace orrery::detail
