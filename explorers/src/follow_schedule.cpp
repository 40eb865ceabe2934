// A chooser that makes a recorded run again on the machine that made it.
#include <cstddef>
#include <utility>
#include <vector>

#include "recording.hpp"

namespace orrery::detail {
namespace {

/// Finds its answers by position: the n-th step of the run is the n-th of the record, and other
/// questions come in the order of the record.
class ScheduleFollower final : public Chooser {
 public:
  explicit ScheduleFollower(const Schedule& schedule) {
    for (const ScheduleEntry& entry : schedule.entries) {
      // Clocks say the same again, as far as the run is the same.
      if (entry.is_clock()) continue;
      (entry.type == ScheduleEntry::Type::step ? steps_ : answers_).push_back(entry);
    }
  }
  void begin_run(const RunInfo&) override { next_answer_ = 0; }

  Decision choose(const ChoicePoint& point) override {
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      if (is_recorded(point, point.alternatives[i])) {
        if (point.kind != ChoiceKind::step) ++next_answer_;
        return Decision::take(i);
      }
    }
    return Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (next_answer_ == answers_.size() || question.kind == ChoiceKind::clock) return question.low;
    const ScheduleEntry& entry = answers_[next_answer_];
    if (!entry.answers(question)) return question.low;
    ++next_answer_;
    return entry.value();
  }

 private:
  [[nodiscard]] bool is_recorded(const ChoicePoint& point, const Alternative& one) const {
    if (point.kind == ChoiceKind::step) {
      if (point.step == 0 || point.step > steps_.size()) return false;
      const ScheduleEntry& entry = steps_[point.step - 1];
      return entry.id == one.id && entry.operation == one.kind;
    }
    if (next_answer_ == answers_.size()) return false;
    const ScheduleEntry& entry = answers_[next_answer_];
    return entry.type == ScheduleEntry::Type::choice && entry.choice == point.kind &&
           entry.id == point.asker && entry.chosen() == one.id;
  }

  std::vector<ScheduleEntry> steps_;
  std::vector<ScheduleEntry> answers_;
  std::size_t next_answer_ = 0;
};

}  // namespace

std::unique_ptr<Chooser> make_follower(const Schedule& schedule) {
  return std::make_unique<ScheduleFollower>(schedule);
}

}  // namespace orrery::detail
