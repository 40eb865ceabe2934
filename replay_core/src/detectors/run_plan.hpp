// A run's decisions, and a chooser that makes them again in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// A step of a run, by what it is in any run: the same operation of the same task.
struct PlannedStep {
  OperationId id;
  OperationKind kind = OperationKind::none;
  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

/// What a run decided besides its steps.  Looked up, never gone through.
struct PlannedAnswers {
  std::unordered_map<std::uint64_t, std::uint64_t> messages;  ///< of a receive or probe: the send
  std::unordered_map<std::uint64_t, std::uint64_t> choices;   ///< of another question, by its key
  std::unordered_map<std::uint64_t, std::uint64_t> draws;     ///< by the question's key
};

/// Prefers: the next step is the one that stands first in the plan, of those that can be taken.  It
/// withholds nothing, so every run is one that can happen; what is not in the plan comes after all
/// that is, undisturbed.
class PlanChooser final : public Chooser {
 public:
  PlanChooser(std::vector<PlannedStep> steps, PlannedAnswers answers);

  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  /// Where it stands in the plan.
  [[nodiscard]] std::size_t position(const PlannedStep& step) const;

  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;

 private:
  struct StepHash {
    std::size_t operator()(const PlannedStep& step) const {
      const std::uint64_t word = step.id.packed() ^ static_cast<std::uint64_t>(step.kind) << 56U;
      return word * 0x9e3779b97f4a7c15U >> 7U;
    }
  };
  Decision choose_step(const ChoicePoint& point) const;
  static Decision choose_planned(const ChoicePoint& point,
                                 const std::unordered_map<std::uint64_t, std::uint64_t>& plan,
                                 std::uint64_t key);

  std::unordered_map<PlannedStep, std::size_t, StepHash> position_;
  PlannedAnswers answers_;
};

}  // namespace orrery::detail
