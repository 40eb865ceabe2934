// Which message each receive takes, where the order is known in which messages came to their
// receivers' cards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Does for each rank what its message library did: messages come one after the other, in the
/// order of the records, and each goes to the first receive that it fits; a receive that begins
/// takes the first that it fits of those that nobody has taken.  The records say no more than who
/// sent; since messages of one sender do not overtake each other on their way to a card, the n-th
/// record of a sender is of the n-th message that it sends to this rank.  So a message has come, in
/// this sense, when those before it in the records have been sent.
///
/// Only the program's own messages count: those within collective operations have receives that
/// name their senders.
///
/// A receive that names its sender needs no such order, unless an earlier one that names none could
/// take its message as well.
///
/// The recorder goes through the recorded run with this, to see whether the order is enough; the
/// replayer does the same.  All tasks and operations by their numbers in the log.
class ArrivalOrder {
 public:
  /// `arrivals`: of the task that receives for a rank, `OpenCalls::sources` are the senders in the
  /// order of coming.  `exceptions`: what receives took whose message does not follow from that
  /// order, nobody's if they took none.  Both must outlive the run.
  void begin(std::span<const OpenCalls> arrivals, std::span<const TracedMessage> exceptions);

  void on_sent(const MatchingStep& step);
  /// A receive or a probe begins.
  void begin_receive(OperationId id, const MatchingStep& asks_for, bool is_probe);
  /// The task works for that rank, in communicators of its own if it is not the only one; else
  /// `may_take` finds it out.
  void link(TaskId task, std::int32_t rank);
  [[nodiscard]] bool may_take(OperationId send, OperationId receiver);
  void on_taken(OperationId send, OperationId receiver);
  void on_seen(OperationId receiver);
  void on_withdrawn(OperationId receiver);

  /// How many receives and probes of its task began before this one, which has not ended.
  [[nodiscard]] std::uint64_t event_of(OperationId receiver) const;
  /// Is it one of the exceptions that `begin` was given?
  [[nodiscard]] bool is_exception(OperationId receiver) const;
  /// What a receive of this task that names no sender waits for; empty: it waits for nothing that
  /// the records have.
  [[nodiscard]] std::string awaited_by(TaskId task) const;
  /// A rank whose records name a message that was not sent; -1: there is none.
  [[nodiscard]] std::int32_t rank_with_unsent() const;

 private:
  struct Message {
    OperationId send;
    std::uint32_t context = 0;
    std::int32_t source = 0;
    std::int32_t tag = 0;
    std::uint64_t arrival = 0;  // place in the records, once it has come
    bool is_taken = false;
  };
  /// What one rank sends to another, by number from 0.
  struct Channel {
    std::deque<Message> sent;     // from the first on that is not done with
    std::uint64_t done_with = 0;  // how many are: they have come and were taken
    std::uint64_t come = 0;
    std::uint64_t in_record = 0;  // how many come at all
    [[nodiscard]] std::uint64_t sent_count() const { return done_with + sent.size(); }
    [[nodiscard]] Message& at(std::uint64_t number) { return sent[number - done_with]; }
  };
  struct Target {
    std::int32_t rank = 0;
    std::int32_t source = 0;
    std::uint64_t number = 0;  // in its channel
  };
  struct Receive {
    OperationId id;
    std::uint32_t context = 0;
    std::int32_t source = 0;
    std::int32_t tag = 0;
    std::uint64_t event = 0;
    bool is_probe = false;
    bool is_exception = false;
    std::optional<Message> message;  // that is for it
  };
  /// A rank.
  struct Box {
    const OpenCalls* arrivals = nullptr;
    std::size_t come = 0;
    std::map<std::int32_t, Channel> channels;
    std::deque<Message> here;       // that nobody takes so far, in the order of coming
    std::vector<Receive> receives;  // that have not ended, in the order in which they began
  };
  struct Pending {
    OperationId id;
    MatchingStep asks_for;
    bool is_probe = false;
  };

  static bool fits(const Receive& receive, const Message& message);
  [[nodiscard]] static bool may_take_early(Box& box, const Receive& receive, const Target& target);
  void begin_at(Box& box, const Pending& pending);
  void advance(Box& box);
  static void offer(Box& box, const Message& message);
  static void find_message(Box& box, Receive& receive);
  static void deal_again(Box& box);
  static void take_from_others(Box& box, OperationId send, const std::optional<Message>& given_up);
  [[nodiscard]] Box* box_of(TaskId task);
  [[nodiscard]] const Box* box_of(TaskId task) const;

  std::unordered_map<std::uint32_t, const OpenCalls*> arrivals_;               // by task
  std::map<std::pair<std::uint32_t, std::uint64_t>, OperationId> exceptions_;  // task, event
  std::set<std::uint64_t> excepted_;                       // messages that these name
  std::map<std::int32_t, Box> boxes_;                      // by rank
  std::unordered_map<std::uint32_t, std::int32_t> ranks_;  // by task
  std::unordered_map<std::uint64_t, Target> targets_;      // by message that nobody has taken
  std::unordered_map<std::uint32_t, std::vector<Pending>> pending_;  // by task without a rank
  std::unordered_map<std::uint32_t, std::uint64_t> begun_;           // receives and probes, by task
};

}  // namespace orrery::detail
