// A run in which two accesses are next at the same time, and then go one way or the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/observer.hpp>

#include "detectors/run_plan.hpp"
#include "sync_preserving.hpp"
#include "sync_trace.hpp"

namespace orrery::detail {

/// What a run did and decided, so that it can be done in another order.
class RunDecisions final {
 public:
  void clear() {
    steps.clear();
    answers = {};
  }
  [[nodiscard]] static EventMask interest() { return EventMask::steps() | EventMask::choices(); }
  void on_step(const Alternative& taken) { steps.push_back({taken.id, taken.kind}); }
  void on_choice(const ChoicePoint& point, std::size_t index);
  void on_value(const ValueQuestion& question, std::uint64_t answer);

  std::vector<PlannedStep> steps;
  PlannedAnswers answers;
};

/// One of two accesses, as a run knows it again.
struct TrialAccess {
  TaskId task;
  std::uint32_t operation = 0;  ///< that it is, or after which it comes
  bool writes = false;
  ObjectId variable;                   ///< of the C++ API: the access is an operation of its own
  std::uintptr_t program_counter = 0;  ///< else
  MemoryRange bytes;

  [[nodiscard]] bool is_operation() const { return variable != ObjectId{}; }
};

/// How to come to two accesses, in the order of the trace.
struct TrialPlan {
  std::array<TrialAccess, 2> accesses;
  bool is_directed = false;         ///< any access of the same task to the same at the same place
  std::vector<PlannedStep> before;  ///< what must have happened
  std::vector<PlannedStep> after;   ///< all else, as it was
  PlannedAnswers answers;

  /// Whatever the one access has done to the other: such a run may go on for ever.
  [[nodiscard]] RunExtent extent() const;
};
[[nodiscard]] TrialPlan plan_trial(const SyncTrace& trace, const RunDecisions& run,
                                   const PredictedRace& race);

/// Where an order that is tried has another number of polls, operations have other numbers: then
/// the first one of the two that comes to its place is held there, until the other one comes to its
/// own or nothing else can go on; then it passes, and is held the next time.  (Sen, "Race directed
/// random testing of concurrent programs", PLDI 2008; here all others go on as they did in the
/// run.)
[[nodiscard]] TrialPlan plan_directed_trial(const SyncTrace& trace, const RunDecisions& run,
                                            TraceRef one, TraceRef other);

/// Takes the steps of the plan; withholds who comes to one of the two accesses until the other one
/// is there, too; then lets `first` go, then the other, and the rest as it was.
class TrialChooser final : public Chooser {
 public:
  /// `shown` is called when both are next.
  TrialChooser(const TrialPlan& plan, std::size_t first, std::function<void()> shown);

  void begin_run(const RunInfo& info) override { pending_ = info.pending; }
  /// Who is withheld does not keep others from polling, nor the clock from going on.
  [[nodiscard]] bool constrains() const override { return true; }
  [[nodiscard]] bool lets_sleepers_wake() const override { return false; }
  bool admits(const Alternative& one) override;
  void took(const Alternative&) override;
  bool gives_way(const PendingOperations&) override;
  [[nodiscard]] std::span<const MemoryRange> stops() const override { return stops_; }
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return rest_.choose_value(question);
  }

 private:
  enum class Phase : std::uint8_t { before, between, after };

  [[nodiscard]] bool is_access(std::size_t side, const Alternative& one) const;
  [[nodiscard]] bool may_meet(ObjectId one, ObjectId other) const;
  [[nodiscard]] bool are_both_next(const ChoicePoint& point,
                                   const std::array<std::size_t, 2>& there) const;
  bool let_one_pass();
  Decision choose_step(const ChoicePoint& point);
  Decision go_on(const ChoicePoint& point);

  const TrialPlan& plan_;
  std::size_t first_;
  std::vector<MemoryRange> stops_;
  PlanChooser rest_;
  Phase phase_ = Phase::before;
  std::array<bool, 2> are_there_{};
  std::function<void()> shown_;
  const PendingOperations* pending_ = nullptr;
  // Directed: at what they are held, who was and goes on, and for how many steps somebody has been.
  std::array<ObjectId, 2> held_at_{};
  std::optional<TaskId> passing_;
  std::uint64_t held_steps_ = 0;
  std::uint64_t held_steps_max_;
  std::uint64_t steps_before_left_;
  std::uint64_t questions_left_;
};

}  // namespace orrery::detail
