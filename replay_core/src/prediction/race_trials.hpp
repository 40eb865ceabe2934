// Runs that show races, both ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

#include "race_trial.hpp"

namespace orrery::detail {

/// A run with all that it takes to do it in another order.
class TracedRun final : public Observer {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return trace.interest() | RunDecisions::interest();
  }
  void on_event(const Event& event) override { trace.on_event(event); }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    trace.on_task(task, predecessors);
  }
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override {
    trace.on_accesses(task, accesses);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    trace.on_freed(address, size_bytes);
  }
  void on_step(const Alternative& taken) override {
    trace.on_step(taken);
    decisions.on_step(taken);
  }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    decisions.on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    decisions.on_value(question, answer);
  }

  SyncTrace trace;
  RunDecisions decisions;
};

/// What came of trying a race.
struct TrialVerdict {
  bool is_judged = false;  ///< false: nothing can be said
  bool has_way = false;    ///< there was a plan
  bool is_shown = false;   ///< there is a run in which both accesses are next at the same time
  std::string order;       ///< whether it matters which is first, in a sentence; empty: not known
  std::string failure;     ///< why it was not tried, in a sentence; empty: nothing was in the way
};

/// Tries races, in processes of their own.  `prepare(run)` is called in each such process, and says
/// how to come to race `i`; nothing: no way is known.
/// Which are wanted: in an `examine` that nobody reads one is enough.
enum class TrialOrders : std::uint8_t { one, both };
using PlanOfRace = std::function<std::optional<TrialPlan>(std::size_t race)>;
using PrepareTrials = std::function<PlanOfRace(const Reruns::Run& run)>;
[[nodiscard]] std::vector<TrialVerdict> try_races(Reruns& reruns, std::size_t count,
                                                  const PrepareTrials& prepare,
                                                  TrialOrders orders = TrialOrders::both);

/// The `attempt`-th way to come to a race of these lines, the likely ones first.  Nothing: there
/// are no more.
[[nodiscard]] std::optional<TrialPlan> plan_way(const TracedRun& traced, const Names& names,
                                                const Finding& race, const RaceAccesses& accesses,
                                                std::size_t attempt);

}  // namespace orrery::detail
