#include "message_races.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace orrery::detail {
namespace {

using Found = std::function<void(const MessageRace&)>;

bool knows(const VectorClock& clock, const Receiver& of) {
  return std::ranges::any_of(of.known, [&](Epoch epoch) { return clock.covers(epoch); });
}

/// May this receive still be without its message where the other one begins?
bool may_be_open(const Receiver& one, const Receiver& beginning) {
  return !one.is_probe && !one.is_withdrawn && !knows(beginning.clock, one);
}

/// What one process gets by one context: receives match these messages and no others.
class Inbox {
 public:
  explicit Inbox(const MessageHistory& history) : history_(history) {}

  void add(std::uint32_t message) {
    Channel& channel = channels_[history_.messages()[message].source];
    const TaskId sender = history_.messages()[message].send.task;
    if (channel.messages.empty()) channel.sender = sender;
    channel.has_several_senders = channel.has_several_senders || channel.sender != sender;
    channel.messages.push_back(message);
  }
  void add_receiver(std::uint32_t receiver) { receivers_.push_back(receiver); }
  /// Takes the receivers in the order in which they begin.
  void look_at(std::uint32_t number, const Found& found);

 private:
  struct Channel {
    std::vector<std::uint32_t> messages;  // in the order of their sends
    std::size_t first = 0;                // all before are gone
    TaskId sender;                        // of the first
    bool has_several_senders = false;     // threads of one process, which nothing may order
  };

  [[nodiscard]] const SentMessage& message(std::uint32_t number) const {
    return history_.messages()[number];
  }
  [[nodiscard]] const Receiver& receiver(std::uint32_t number) const {
    return history_.receivers()[number];
  }
  [[nodiscard]] bool is_gone(std::uint32_t number, std::uint32_t before) const {
    return message(number).taken_by < before;
  }
  void look_at_channel(Channel& channel, std::uint32_t number, const Found& found);
  void forget_closed(const Receiver& beginning);
  [[nodiscard]] bool can_have(std::uint32_t number, std::uint32_t other) const;
  [[nodiscard]] bool has_own_by_then(std::uint32_t number, std::uint32_t other) const;

  const MessageHistory& history_;
  std::map<std::int32_t, Channel> channels_;
  std::vector<std::uint32_t> open_;  // receivers that began, and may not have got theirs
  std::vector<std::uint32_t> receivers_;
  std::size_t next_receiver_ = 0;  // behind the one that is looked at
};

void Inbox::forget_closed(const Receiver& beginning) {
  std::erase_if(open_,
                [&](std::uint32_t number) { return !may_be_open(receiver(number), beginning); });
}

bool Inbox::can_have(std::uint32_t number, std::uint32_t other) const {
  const Receiver& racing = receiver(number);
  if (knows(message(other).clock, racing)) return false;
  for (const std::uint32_t earlier : open_) {
    const Receiver& open = receiver(earlier);
    if (!open.matches(message(other))) continue;
    // It must have its own message before the other one comes, or that is what it takes.
    if (open.message == nobody) return false;
    if (knows(message(open.message).clock, racing)) return false;
  }
  return true;
}

/// Does a receive that began later have a message, before the other one is sent, that this one
/// would have taken?
bool Inbox::has_own_by_then(std::uint32_t number, std::uint32_t other) const {
  const Receiver& racing = receiver(number);
  for (std::size_t i = next_receiver_; i < receivers_.size(); ++i) {
    const Receiver& later = receiver(receivers_[i]);
    if (knows(later.clock, racing)) return false;
    if (later.is_probe || later.message == nobody || later.message == other) continue;
    if (racing.matches(message(later.message)) && knows(message(other).clock, later)) return true;
  }
  return false;
}

void Inbox::look_at_channel(Channel& channel, std::uint32_t number, const Found& found) {
  const Receiver& racing = receiver(number);
  const std::vector<std::uint32_t>& messages = channel.messages;
  std::size_t& first = channel.first;
  while (first < messages.size() && is_gone(messages[first], number)) ++first;
  std::vector<std::uint32_t> ahead;  // those that the receive would have to take first
  for (std::size_t i = first; i < messages.size(); ++i) {
    const std::uint32_t other = messages[i];
    const SentMessage& sent = message(other);
    if (is_gone(other, number) || !racing.matches(sent)) continue;
    const bool is_behind = std::ranges::any_of(ahead, [&](std::uint32_t one) {
      const SentMessage& before = message(one);
      const std::uint32_t task = before.send.task.value;
      return task == sent.send.task.value || sent.clock.covers({task, before.clock.of(task)});
    });
    if (is_behind) return;
    ahead.push_back(other);
    if (other != racing.message && can_have(number, other) && !has_own_by_then(number, other)) {
      found({number, racing.message, other});
    }
  }
}

void Inbox::look_at(std::uint32_t number, const Found& found) {
  const Receiver& beginning = receiver(number);
  ++next_receiver_;
  forget_closed(beginning);
  if (beginning.message != nobody) {
    for (auto& [source, channel] : channels_) {
      if (!beginning.is_wildcard() && !channel.has_several_senders) continue;
      look_at_channel(channel, number, found);
    }
  }
  if (!beginning.is_probe) open_.push_back(number);
}

}  // namespace

void find_message_races(const MessageHistory& history,
                        const std::function<void(const MessageRace&)>& found) {
  std::map<std::pair<std::int32_t, std::uint32_t>, Inbox> inboxes;
  const auto inbox = [&](std::int32_t destination, std::uint32_t context) -> Inbox& {
    return inboxes.try_emplace({destination, context}, history).first->second;
  };
  for (std::uint32_t i = 0; i < history.messages().size(); ++i) {
    const SentMessage& message = history.messages()[i];
    inbox(message.destination, message.context).add(i);
  }
  for (std::uint32_t i = 0; i < history.receivers().size(); ++i) {
    const Receiver& receiver = history.receivers()[i];
    inbox(receiver.destination, receiver.context).add_receiver(i);
  }
  for (std::uint32_t i = 0; i < history.receivers().size(); ++i) {
    const Receiver& receiver = history.receivers()[i];
    inbox(receiver.destination, receiver.context).look_at(i, found);
  }
}

VectorClock past_of(const MessageHistory& history, const MessageRace& race) {
  const Receiver& racing = history.receivers()[race.receiver];
  const SentMessage& other = history.messages()[race.other];
  VectorClock past = other.clock;
  past.join(racing.clock);
  for (std::uint32_t i = 0; i < race.receiver; ++i) {
    const Receiver& earlier = history.receivers()[i];
    if (!earlier.matches(other) || !may_be_open(earlier, racing)) continue;
    past.join(history.messages()[earlier.message].clock);
  }
  return past;
}

}  // namespace orrery::detail
