// Who sent what, and who took it, in the order of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "order/happens_before.hpp"
#include "order/place_table.hpp"
#include "order/vector_clock.hpp"

namespace orrery::detail {

inline constexpr std::uint32_t nobody = 0xffffffffU;

/// A message, and what its sender knew.
struct SentMessage {
  OperationId send;
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint64_t size_bytes = 0;
  PlaceNumber place = 0;
  VectorClock clock;                ///< of the sender, at the send
  std::uint32_t taken_by = nobody;  ///< a `Receiver`'s number
};

/// A receive or a probe, from where it begins.
struct Receiver {
  OperationId id;
  std::uint32_t context = 0;
  std::int32_t destination = 0;
  std::int32_t source = any_source;  ///< what it asks for
  std::int32_t tag = any_tag;
  bool is_probe = false;
  bool is_withdrawn = false;
  PlaceNumber place = 0;
  VectorClock clock;               ///< of its task, where it begins
  std::uint32_t message = nobody;  ///< a `SentMessage`'s number: what it has taken, or seen
  /// Where the tasks know that it has that message: the receiver, and the sender of a synchronous
  /// one.
  std::vector<Epoch> known;

  [[nodiscard]] bool is_wildcard() const { return source == any_source || tag == any_tag; }
  [[nodiscard]] bool matches(const SentMessage& sent) const {
    return context == sent.context && destination == sent.destination &&
           (source == any_source || source == sent.source) && (tag == any_tag || tag == sent.tag);
  }
};

/// Watches a run.  Unlike `HappensBefore` alone it orders by a message no more than the message
/// does: the end of a synchronous send comes after the beginning of its receive, not after all else
/// that the receiver has done.
class MessageHistory {
 public:
  [[nodiscard]] static EventMask interest();
  /// May an event of this kind say that a receive, a probe or a send is complete?
  [[nodiscard]] static bool may_end_message(OperationKind kind);
  void clear();
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void on_matching(const MatchingStep& step);
  void on_event(const Event& event);

  /// In the order of the sends; of each process in the order in which receives and probes begin.
  [[nodiscard]] const std::vector<SentMessage>& messages() const { return messages_; }
  [[nodiscard]] const std::vector<Receiver>& receivers() const { return receivers_; }
  [[nodiscard]] const PlaceTable& places() const { return places_; }
  /// The number of a send's message; nothing if nobody can receive it.
  [[nodiscard]] std::optional<std::uint32_t> message_of(OperationId send) const;
  /// In which stretch of its life a task is.
  [[nodiscard]] Epoch now(TaskId task) { return order_.now(task); }

 private:
  void add_message(const MatchingStep& step);
  Receiver& add_receiver(const MatchingStep& step);
  void complete_receive(TaskId task, std::uint32_t message);
  void complete_send(TaskId task, std::uint32_t receiver);

  HappensBefore order_;
  PlaceTable places_;
  std::vector<SentMessage> messages_;
  std::vector<Receiver> receivers_;
  std::unordered_map<std::uint64_t, std::uint32_t> message_index_;   // by the send
  std::unordered_map<std::uint64_t, std::uint32_t> receiver_index_;  // by its operation
  std::unordered_map<std::uint64_t, VectorClock> calls_;             // by the call's send
};

}  // namespace orrery::detail
