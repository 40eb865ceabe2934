// What a recorded run answered, by who asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/replay_core/bent_runs.hpp>

namespace orrery::detail {

/// Gives each operation the answers that it got, whatever its place in the run.
class RecordedAnswers {
 public:
  RecordedAnswers(const Schedule& schedule, const BendPlan& plan);

  /// What was chosen; nothing: the operation has not asked that.
  [[nodiscard]] std::optional<OperationId> chosen(OperationId asker, ChoiceKind kind);
  /// A draw's answer; the low end for one that was not asked.
  [[nodiscard]] std::uint64_t value(const ValueQuestion& question);
  /// A date off a clock.  As recorded while `is_followed`; from then on clocks go on from what they
  /// said last, at the pace of the run.
  [[nodiscard]] std::uint64_t date(const ValueQuestion& question, bool is_followed);

 private:
  /// How far a clock is from the run's own time, and what it has said.
  struct Clock {
    std::uint64_t ahead = 0;  // modulo 2^64
    std::uint64_t said = 0;
  };
  template <typename Fits>
  ScheduleEntry* find(OperationId asker, Fits fits);

  std::vector<ScheduleEntry> answers_;  // by asker, then in order
  std::vector<bool> is_used_;
  std::unordered_map<std::uint64_t, std::uint64_t> run_answers_;
  std::map<std::pair<TaskId, std::uint64_t>, Clock> clocks_;  // by task and kind of clock
  std::map<std::uint64_t, std::uint64_t> ahead_;              // by kind of clock: the newest
};

}  // namespace orrery::detail
