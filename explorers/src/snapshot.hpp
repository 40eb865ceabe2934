// A search whose runs all go on from one instant of the first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// Leaves the run alone up to the snapshot; from there on it is the strategy's.
class SnapshotChooser final : public Chooser {
 public:
  /// `strategy` must outlive it.
  explicit SnapshotChooser(Chooser& strategy) : strategy_(&strategy), answering_(&undisturbed_) {}

  /// The rest is that run of the search.
  void hand_over(std::uint64_t run_index);

  void begin_run(const RunInfo& info) override { info_ = info; }
  Decision choose(const ChoicePoint& point) override { return answering_->choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return answering_->choose_value(question);
  }
  void end_run(const Outcome& outcome) override { answering_->end_run(outcome); }

 private:
  UndisturbedChooser undisturbed_;
  Chooser* strategy_;
  Chooser* answering_;
  RunInfo info_;
};

/// Stands still in the midst of a run, and forks a process for each run that goes on from there, as
/// the fork server of AFL does for fuzzers (Zalewski 2014).
class SnapshotServer {
 public:
  struct Port {
    std::function<std::optional<std::uint64_t>()> next_run;  ///< nothing: all are done
    std::function<void(std::uint64_t)> begin;                ///< before the fork
    std::function<void()> complain;  ///< the system has no process left; `errno` says why
    std::function<bool()> is_over;   ///< asked after each run: shall the worker end, too?
  };
  explicit SnapshotServer(Port port) : port_(std::move(port)) {}

  /// Comes back once for each run, in a process of the run's own, with the run's index.  The
  /// calling process never comes back: it ends when all runs are done, and dies as a run does that
  /// dies, so that whoever looks after it knows.  Safe in handlers of synchronous signals.
  std::uint64_t serve(std::uint64_t first_run);
  /// Is this a process of one run's own?
  [[nodiscard]] bool is_in_run() const { return is_in_run_; }

 private:
  Port port_;
  bool is_in_run_ = false;
};

}  // namespace orrery::detail
