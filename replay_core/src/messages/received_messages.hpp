// The receives and probes of one process, and which of them have to be traced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// In the order in which they begin, which is the one in which messages are offered to them.
class ReceivedMessages {
 public:
  std::uint32_t events = 0;  ///< of the process so far, as its timestamp counts them

  [[nodiscard]] std::int32_t rank() const { return rank_; }
  /// A receive or probe begins, whose task knows of the events up to that one; its number.
  std::size_t begin(const MatchingStep& step, bool is_probe, std::uint32_t known);
  /// The one that this operation began, and that has no message yet.
  [[nodiscard]] std::size_t find(OperationId operation) const;
  void take(std::size_t receive, OperationId send, std::int32_t from);
  void withdraw(std::size_t receive);
  /// Of one of the latest receives that have their messages: the events that its task knew of when
  /// it began.
  [[nodiscard]] std::optional<std::uint32_t> known_before(OperationId receive) const;
  /// Has it taken that message, without the program knowing?
  [[nodiscard]] bool is_open(std::size_t receive, OperationId send) const;
  void complete(std::size_t receive, std::uint32_t event);
  /// Must take the same message in a replay, and so must all probes for any source that saw it.
  void trace(std::size_t receive);
  /// Did an earlier receive for any source that fits its message not take it, and is not complete?
  [[nodiscard]] bool overtakes_wildcard(std::size_t receive) const;

  // The tight form.
  /// The sender of its message knew of the events of this process up to that one.
  void know(std::size_t receive, std::uint32_t event, std::uint32_t context, std::int32_t tag);
  /// Decides about all whose predecessors have their messages.
  void decide();

  void add_traced(std::vector<TracedMessage>& traced) const {
    traced.insert(traced.end(), traced_.begin(), traced_.end());
  }

 private:
  static constexpr std::uint32_t incomplete = ~0U;
  static constexpr std::size_t latest_max = 64;
  static constexpr std::size_t fronts_max = 8;
  static constexpr std::size_t none = ~std::size_t{0};

  struct Receive {
    OperationId id;
    std::uint64_t event = 0;     ///< among those of its task
    std::uint32_t began_at = 0;  ///< the events of the process that its task knew of then
    std::uint32_t context = 0;
    std::int32_t source = any_source;  ///< what it asks for
    std::int32_t tag = any_tag;
    bool is_probe = false;
    bool is_withdrawn = false;
    bool has_message = false;
    OperationId send;
    std::int32_t from = -1;
    std::uint32_t completed_at = incomplete;
    std::uint32_t sender_knew = 0;
    std::int32_t message_tag = 0;
    std::size_t wildcard = none;  ///< its place in `wildcards_`
  };
  /// One for any source that takes whatever is not traced: with it later messages race.
  struct Wildcard {
    std::size_t receive = 0;
    std::uint32_t context = 0;
    std::int32_t tag = any_tag;
    std::int32_t from = -1;
    std::uint32_t completed_at = incomplete;  ///< or known to have its message
    bool is_traced = false;                   ///< a probe, since what it saw raced later
    std::uint32_t completed_so_far = 0;  ///< the latest of those up to here, once all are complete

    [[nodiscard]] bool fits(std::uint32_t other, std::int32_t message_tag) const {
      return context == other && (tag == any_tag || tag == message_tag);
    }
  };

  Receive& at(std::size_t receive) { return receives_[receive - forgotten_]; }
  [[nodiscard]] const Receive& at(std::size_t receive) const {
    return receives_[receive - forgotten_];
  }
  /// A traced message that was received: what its sender sent later is behind it until then.
  struct Front {
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    OperationId send;
    std::uint32_t began_at = 0;  ///< of its receive
  };
  struct Seen {
    std::size_t probe = 0;
    TracedMessage record;
  };
  struct Latest {
    OperationId receive;
    std::uint32_t began_at = 0;
  };

  void trace_probes(std::size_t except, OperationId send);
  void hold(std::size_t receive);
  [[nodiscard]] bool races(const Receive& receive) const;
  [[nodiscard]] bool waits_behind_another(const Receive& receive, const Wildcard& earlier) const;
  void note_front(const Receive& receive);
  void note_overtaken(std::size_t receive);
  void settle_wildcards();
  void forget();

  std::int32_t rank_ = -1;
  std::deque<Receive> receives_;
  std::size_t forgotten_ = 0;  // receives before the first one that is kept
  std::size_t decided_ = 0;
  bool decides_ = false;
  std::vector<std::uint64_t> begun_;                     // by task
  std::unordered_map<std::uint64_t, std::size_t> open_;  // without a message, by operation
  // By probes for any source that are not traced, by send.
  std::unordered_map<std::uint64_t, std::vector<Seen>> seen_;
  std::unordered_set<std::uint64_t> traced_sends_;
  std::vector<Wildcard> wildcards_;
  std::size_t settled_ = 0;  // wildcards up to the first that is not complete
  std::unordered_map<std::int32_t, std::vector<Front>> fronts_;  // by sender
  std::vector<Latest> latest_;                                   // a ring
  std::size_t taken_ = 0;
  std::vector<TracedMessage> traced_;
};

}  // namespace orrery::detail
