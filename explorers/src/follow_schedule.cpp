// A chooser that makes a recorded run again on the machine that made it.
#include <cstddef>
#include <functional>
#include <vector>

#include "recorded_answers.hpp"
#include "recording.hpp"

namespace orrery::detail {
namespace {

/// Finds its answers by position: the n-th step of the run is the n-th of the record, and other
/// questions come in the order of the record.
class ScheduleFollower final : public Chooser {
 public:
  explicit ScheduleFollower(const Schedule& schedule) : record_(schedule) {}
  void begin_run(const RunInfo&) override { record_.begin_run(); }

  Decision choose(const ChoicePoint& point) override {
    return point.kind == ChoiceKind::step ? choose_step(point)
                                          : record_.choose(point, std::identity());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return record_.choose_value(question, std::identity());
  }

 private:
  [[nodiscard]] Decision choose_step(const ChoicePoint& point) const {
    const std::vector<ScheduleEntry>& steps = record_.steps();
    const bool is_recorded = point.step > 0 && point.step <= steps.size();
    for (std::size_t i = 0; is_recorded && i < point.alternatives.size(); ++i) {
      const Alternative& one = point.alternatives[i];
      const ScheduleEntry& entry = steps[point.step - 1];
      if (entry.id == one.id && entry.operation == one.kind) return Decision::take(i);
    }
    return Decision::take(point.default_index());
  }

  RecordedAnswers record_;
};

}  // namespace

std::unique_ptr<Chooser> make_follower(const Schedule& schedule) {
  return std::make_unique<ScheduleFollower>(schedule);
}

}  // namespace orrery::detail
