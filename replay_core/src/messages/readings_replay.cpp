#include "readings_replay.hpp"

#include <algorithm>
#include <limits>

#include <orrery/sim_runtime/semaphore_question.hpp>
#include <orrery/sim_runtime/told_questions.hpp>

namespace orrery::detail {
namespace {

/// Dates too far away for picoseconds stop there.
std::uint64_t picoseconds(std::int64_t nanoseconds) {
  constexpr std::int64_t ps_per_ns = 1000;
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max() / ps_per_ns;
  return static_cast<std::uint64_t>(std::clamp(nanoseconds, -last, last) * ps_per_ns);
}

}  // namespace

void ReadingsReplay::begin(const std::vector<RankReadings>& readings) {
  cursors_.clear();
  for (const RankReadings& of_rank : readings) cursors_[of_rank.task.value].readings = &of_rank;
}

std::optional<std::uint64_t> ReadingsReplay::answer(TaskId task, const ValueQuestion& question) {
  if (cursors_.empty()) return {};
  const auto found = cursors_.find(task.value);
  if (found == cursors_.end()) return {};
  Cursor& cursor = found->second;
  if (question.kind == ChoiceKind::clock) return read_clock(cursor, question);
  // Draws of the program's have neither weights nor are they the run's.
  const bool is_draw = question.kind == ChoiceKind::value || question.question == futex_question ||
                       question.question == semaphore_question ||
                       is_told_question(question.question);
  if (!is_draw || question.is_of_run || !question.weights.empty()) return {};
  if (cursor.draw == cursor.readings->draws.size()) return {};
  const std::uint64_t value = cursor.readings->draws[cursor.draw];
  if (!admits_answer(question, value)) return {};
  ++cursor.draw;
  return value;
}

std::optional<std::uint64_t> ReadingsReplay::read_clock(Cursor& cursor,
                                                        const ValueQuestion& question) {
  const auto kind = static_cast<std::size_t>(question.question);
  if (kind == 0 || kind >= clock_kinds) return {};
  const std::vector<RankReadings::Steps>& runs = cursor.readings->clocks[kind];
  if (runs.empty()) return {};
  Clock& clock = cursor.clocks[kind];
  if (clock.run == runs.size()) return picoseconds(clock.date_ns) + question.low - clock.own_date;
  clock.date_ns += runs[clock.run].step_ns;
  clock.own_date = question.low;
  if (++clock.taken == runs[clock.run].count) {
    ++clock.run;
    clock.taken = 0;
  }
  return picoseconds(clock.date_ns);
}

}  // namespace orrery::detail
