#include "interval_router.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

/// No more is given at once, where there is a choice.
constexpr std::size_t bytes_at_once = std::size_t{256} << 10U;

/// Had the task come so far when the others stood there?
bool is_within(const std::vector<TaskProgress>& progress, OperationId send) {
  const auto found = std::ranges::lower_bound(progress, send.task, {}, &TaskProgress::task);
  return found != progress.end() && found->task == send.task && send.number <= found->operations;
}

}  // namespace

MessageRouter::MessageRouter(const CheckpointedRun& run, const std::vector<IntervalId>& executed,
                             std::vector<LoggedMessage> logged)
    : run_(run) {
  for (const IntervalId& id : executed) add_receiver(id);
  for (LoggedMessage& message : logged) add_logged(std::move(message));
  for (auto& [id, receiver] : receivers_) {
    for (auto& [rank, sources] : receiver.sources) {
      for (Source& source : sources)
        std::ranges::stable_sort(source.logged, {}, &OutsideMessage::send);
    }
  }
}

void MessageRouter::add_receiver(const IntervalId& id) {
  Receiver& receiver = receivers_[id];
  receiver.interval = run_.find(id);
  for (const OperationId send : receiver.interval->end_left_over) {
    receiver.left_over.insert(send.packed());
  }
  receiver.is_cut = !receiver.interval->has_ended && receiver.interval->taken.empty();
  for (const TakenFrom& taken : receiver.interval->taken) {
    Source& source = source_of(receiver, taken.sender);
    source.messages = source.expected = taken.messages;
  }
}

void MessageRouter::add_logged(LoggedMessage message) {
  Receiver& receiver = receivers_.at(message.receiver);
  if (is_within(receiver.interval->begin.progress, message.send)) return;  // in its image
  if (!receiver.logged.insert(message.send.packed()).second) return;
  Source& source = source_of(receiver, message.sender);
  if (source.expected > 0) --source.expected;
  // What is alone gets all from the log: in the order in which it was taken.
  if (receivers_.size() == 1) {
    receiver.in_order.push_back(std::move(message));
  } else {
    source.logged.push_back(std::move(message));
  }
}

MessageRouter::Source& MessageRouter::source_of(Receiver& receiver, const IntervalId& sender) {
  std::vector<Source>& sources = receiver.sources[sender.rank];
  const auto place = std::ranges::lower_bound(sources, sender, {}, &Source::sender);
  if (place != sources.end() && place->sender == sender) return *place;
  Source& source = *sources.emplace(place);
  source.sender = sender;
  return source;
}

bool MessageRouter::has_got(const Receiver& receiver, const OutsideMessage& message) {
  if (message.destination != receiver.interval->id.rank) return false;
  if (is_within(receiver.interval->begin.progress, message.send)) return false;
  const bool is_open = !receiver.interval->has_ended;
  if (!is_open && !is_within(receiver.interval->end_progress, message.send)) return false;
  return !receiver.left_over.contains(message.send.packed()) &&
         !receiver.logged.contains(message.send.packed());
}

void MessageRouter::sent(const IntervalId& sender, OutsideMessage message) {
  for (auto& [id, receiver] : receivers_) {
    if (!has_got(receiver, message)) continue;
    Source& source = source_of(receiver, sender);
    if (receiver.is_cut) ++source.expected;
    if (source.expected <= source.sent.size()) continue;
    source.sent.push_back(std::move(message));
    return;
  }
}

// An interval need not come to its end again to send what is needed of it.  Where it does not, what
// it would send is taken later than all that is needed: nobody has to wait for that.
std::vector<OutsideMessage> MessageRouter::next_for(const IntervalId& id, bool is_stuck) {
  std::vector<OutsideMessage> next;
  Receiver& receiver = receivers_.at(id);
  for (std::size_t bytes = 0; !receiver.in_order.empty() && bytes < bytes_at_once;) {
    bytes += receiver.in_order.front().content.size() + sizeof(OutsideMessage);
    next.push_back(std::move(receiver.in_order.front()));
    receiver.in_order.pop_front();
  }
  for (auto& [rank, sources] : receiver.sources) {
    for (Source& source : sources) {
      for (; !source.sent.empty(); source.sent.pop_front(), --source.expected) {
        next.push_back(std::move(source.sent.front()));
      }
      const bool is_to_come = source.expected > 0 && receivers_.contains(source.sender);
      if (is_to_come && !is_stuck) break;  // what later intervals have sent comes later
      const bool may_send_more = receiver.is_cut && receivers_.contains(source.sender);
      if (source.expected > 0 || (may_send_more && !is_stuck)) continue;
      for (OutsideMessage& message : source.logged) next.push_back(std::move(message));
      source.logged.clear();
    }
  }
  return next;
}

bool MessageRouter::is_needed(const IntervalId& sender) const {
  return std::ranges::any_of(receivers_, [&](const auto& entry) {
    if (entry.second.is_cut && entry.first != sender) return true;
    const auto sources = entry.second.sources.find(sender.rank);
    return sources != entry.second.sources.end() &&
           std::ranges::any_of(sources->second, [&](const Source& source) {
             return source.sender == sender && source.expected > source.sent.size();
           });
  });
}

std::string MessageRouter::lacks(const IntervalId& id) const {
  for (const auto& [rank, sources] : receivers_.at(id).sources) {
    for (const Source& source : sources) {
      if (source.expected == 0) continue;
      return fmt::format("{} of the {} messages that {}:{} has sent it", source.expected,
                         source.messages, source.sender.rank, source.sender.number);
    }
  }
  return {};
}

}  // namespace orrery::detail
