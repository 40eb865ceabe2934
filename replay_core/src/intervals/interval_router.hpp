// Which message goes to which interval, when several are executed again at once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <orrery/replay_core/intervals.hpp>
#include <orrery/sim_runtime/outside.hpp>

namespace orrery::detail {

/// Gives each interval what it has got in the first run, and nothing else: each sender's messages
/// in the order in which it has sent them, from its interval if that is executed, else from the
/// log.
///
/// Of one interval's messages to another the logged ones are the last: what makes a message a
/// domino message holds for all that come after it.
///
/// Of an interval in which a recording was cut nothing says what it took: it gets all that was sent
/// to it after its image.
class MessageRouter {
 public:
  /// `run` must outlive the router.
  /// `logged`: what these intervals get from the log, in its order.
  MessageRouter(const CheckpointedRun& run, const std::vector<IntervalId>& executed,
                std::vector<LoggedMessage> logged);

  /// An interval has sent this again.
  void sent(const IntervalId& sender, OutsideMessage message);
  /// What the interval can be given now, and has not been.  `is_stuck`: nobody can go on; then what
  /// an interval has sent does not wait for what an earlier one of its rank has still to send.
  [[nodiscard]] std::vector<OutsideMessage> next_for(const IntervalId& receiver,
                                                     bool is_stuck = false);
  /// Does another interval lack a message of this one?
  [[nodiscard]] bool is_needed(const IntervalId& sender) const;
  /// What the interval waits for, in words; empty: it has got everything.
  [[nodiscard]] std::string lacks(const IntervalId& receiver) const;

 private:
  /// From one interval to another.
  struct Source {
    IntervalId sender;
    std::uint32_t expected = 0;          ///< still to be sent by the sender's process
    std::deque<OutsideMessage> sent;     ///< by it, and not given yet
    std::vector<OutsideMessage> logged;  ///< not given yet
    std::uint32_t messages = 0;          ///< in all
  };
  struct Receiver {
    bool is_cut = false;
    const Interval* interval = nullptr;
    std::map<std::int32_t, std::vector<Source>> sources;  ///< by rank, in order
    std::set<std::uint64_t> left_over;                    ///< sends
    std::set<std::uint64_t> logged;                       ///< sends
    std::deque<OutsideMessage> in_order;                  ///< from the log, and not given yet
  };

  /// Was it sent to the receiver, and taken or seen in this very interval?
  [[nodiscard]] static bool has_got(const Receiver& receiver, const OutsideMessage& message);
  void add_receiver(const IntervalId& id);
  void add_logged(LoggedMessage message);
  [[nodiscard]] static Source& source_of(Receiver& receiver, const IntervalId& sender);

  const CheckpointedRun& run_;
  std::map<IntervalId, Receiver> receivers_;
};

}  // namespace orrery::detail
