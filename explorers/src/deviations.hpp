// A run as the set of its answers that differ from the undisturbed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

#include "report.hpp"

namespace orrery::detail {

/// One answer that is not the undisturbed one, named so that it means the same in a run where
/// others are missing: by the key of the question, which other questions do not move.
struct Deviation {
  std::uint64_t question = 0;
  ChoiceKind kind = ChoiceKind::step;
  OperationKind operation = OperationKind::none;
  OperationId answer;       ///< of the alternative that was taken
  std::uint64_t value = 0;  ///< for draws: what was drawn
  std::uint64_t low = 0;    ///< for draws: the undisturbed answer
  friend bool operator==(const Deviation&, const Deviation&) = default;
};
using Deviations = std::vector<Deviation>;

/// Gives the undisturbed answer to every question but those that are named.  A deviation whose
/// question is not asked, or has no such answer, lapses.
class DeviatingChooser final : public Chooser {
 public:
  void set(const Deviations& deviations);
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;

 private:
  Deviations deviations_;
  std::unordered_map<std::uint64_t, std::size_t> by_question_;  // looked up, never gone through
};

/// How a run deviates and what that costs, in memory that outlives the run's process.  All-zero
/// bytes are a valid beginning.
struct DeviationBlock {
  RunCost cost;
  std::uint64_t unasked_preemptions;  ///< see `UnaskedPreemptions`
  std::uint64_t count;
  Deviation items[std::size_t{1} << 20U];  ///< further ones are counted, not kept

  [[nodiscard]] Deviations deviations() const;
};

/// Watches a run, whoever chooses, and notes how it deviates.
class DeviationTally final : public Observer {
 public:
  explicit DeviationTally(DeviationBlock& block) : block_(block) {}
  void begin_run(const RunInfo&) override;
  [[nodiscard]] EventMask interest() const override { return EventMask::choices(); }
  void on_choice(const ChoicePoint& point, std::size_t index) override;
  void on_value(const ValueQuestion& question, std::uint64_t answer) override;
  void end_run(const Outcome& outcome) override;

 private:
  void add(const Deviation& deviation);

  DeviationBlock& block_;
};

}  // namespace orrery::detail
