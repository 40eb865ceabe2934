// Replays by messages in an order that a run without a replayer could have.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/recorders.hpp>
#include <orrery/sim_runtime/forwarding_chooser.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// A replayer that follows messages lets them arrive as they like, and keeps them from receives
/// that must not have them: no schedule could say that.  This one stands before it, as chooser and
/// observer (beside the replayer's own), and holds back the deliveries themselves: a message comes
/// when tasks have nothing else to do, and when the first receive that would take it may have it.
/// So the steps and answers of the run, written down, are a schedule of the same run.
///
/// Logs of real machines may tell of what no simulated run does (a poll that fails although its
/// message has been there for long); then this gives up, and the schedule is another run's.
///
///     orrery::NaturalOrder order(*replayer);
///     simulation.run(program, order, {&order, replayer->observer(), &recorder});
class NaturalOrder final : public ForwardingChooser, public Observer {
 public:
  /// `replayer` does the rest, and must outlive this.
  explicit NaturalOrder(Replayer& replayer) : ForwardingChooser(replayer.chooser()) {}

  // Chooser
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  Decision choose(const ChoicePoint& point) override;
  bool gives_way(const PendingOperations& pending) override;
  void end_run(const Outcome& outcome) override { ForwardingChooser::end_run(outcome); }
  // Observer
  [[nodiscard]] EventMask interest() const override { return EventMask::matching(); }
  void on_matching(const MatchingStep& step) override;

 private:
  [[nodiscard]] bool may_arrive(const Alternative& delivery);

  std::unordered_map<std::uint64_t, MatchingStep> sent_;              // that have not arrived
  std::unordered_map<std::int32_t, std::vector<MatchingStep>> open_;  // receives, by rank, in order
  bool has_given_up_ = false;
};

}  // namespace orrery
