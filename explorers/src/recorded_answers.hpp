// What a schedule holds, for choosers that make its run again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "recording.hpp"

namespace orrery::detail {

/// Its steps, and what it answers to other questions, each in their order.  Where it does not fit,
/// or is over, the undisturbed answer is given.
class RecordedAnswers {
 public:
  explicit RecordedAnswers(const Schedule& schedule) {
    for (const ScheduleEntry& entry : schedule.entries) {
      // Clocks say the same again, as far as the run is the same.
      if (entry.is_clock()) continue;
      (entry.type == ScheduleEntry::Type::step ? steps_ : answers_).push_back(entry);
    }
  }
  void begin_run() { next_ = 0; }
  [[nodiscard]] const std::vector<ScheduleEntry>& steps() const { return steps_; }

  /// `recorded`: which operation of the record one of this run is.
  template <typename Recorded>
  Decision choose(const ChoicePoint& point, const Recorded& recorded) {
    if (next_ == answers_.size()) return Decision::take(point.default_index());
    const ScheduleEntry& entry = answers_[next_];
    const bool is_asked = entry.type == ScheduleEntry::Type::choice && entry.choice == point.kind &&
                          entry.id == recorded(point.asker);
    for (std::size_t i = 0; is_asked && i < point.alternatives.size(); ++i) {
      if (entry.chosen() != recorded(point.alternatives[i].id)) continue;
      ++next_;
      return Decision::take(i);
    }
    return Decision::take(point.default_index());
  }
  template <typename Recorded>
  std::uint64_t choose_value(ValueQuestion question, const Recorded& recorded) {
    const std::uint64_t undisturbed = question.low;
    if (next_ == answers_.size() || question.kind == ChoiceKind::clock) return undisturbed;
    question.asker = recorded(question.asker);
    const ScheduleEntry& entry = answers_[next_];
    if (!entry.answers(question)) return undisturbed;
    ++next_;
    return entry.value();
  }

 private:
  std::vector<ScheduleEntry> steps_;
  std::vector<ScheduleEntry> answers_;
  std::size_t next_ = 0;  // of the latter
};

}  // namespace orrery::detail
