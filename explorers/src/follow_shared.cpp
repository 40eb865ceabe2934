// A chooser that makes a recorded run again on a machine whose tasks stop at more accesses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "recorded_answers.hpp"
#include "recording.hpp"

namespace orrery::detail {
namespace {

/// Operations have other numbers here, since those that the record has no step for are counted,
/// too.
class SharedFollower final : public Chooser {
 public:
  explicit SharedFollower(const Schedule& schedule) : record_(schedule) {}
  void begin_run(const RunInfo&) override {
    unshared_.clear();
    next_step_ = 0;
    record_.begin_run();
  }
  // It is to be told of all steps.
  [[nodiscard]] bool constrains() const override { return true; }
  [[nodiscard]] bool lets_sleepers_wake() const override {
    return next_step_ < record_.steps().size();
  }
  void took(const Alternative& taken) override {
    if (!taken.is_unshared) {
      ++next_step_;
      return;
    }
    const std::uint32_t task = taken.id.task.value;
    if (task >= unshared_.size()) unshared_.resize(std::size_t{task} + 1);
    unshared_[task].push_back(taken.id.number);
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::step) return choose_step(point);
    return record_.choose(point, [this](OperationId id) { return recorded(id); });
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return record_.choose_value(question, [this](OperationId id) { return recorded(id); });
  }

 private:
  [[nodiscard]] Decision choose_step(const ChoicePoint& point) const {
    const auto find = [&](const auto& is_it) {
      const auto found = std::ranges::find_if(point.alternatives, is_it);
      return static_cast<std::size_t>(found - point.alternatives.begin());
    };
    const std::size_t none = point.alternatives.size();
    std::size_t index = find([&](const Alternative& one) {
      return point.current_is_enabled && one.is_unshared && one.id.task == point.current;
    });
    if (index == none && next_step_ < record_.steps().size()) {
      const ScheduleEntry& entry = record_.steps()[next_step_];
      index = find([&](const Alternative& one) {
        return !one.is_unshared && entry.operation == one.kind && entry.id == recorded(one.id);
      });
      if (index == none) {
        index = find([&](const Alternative& one) {
          return one.is_unshared && one.id.task == entry.id.task;
        });
      }
    }
    return Decision::take(index == none ? point.default_index() : index);
  }
  /// As the record numbers it.
  [[nodiscard]] OperationId recorded(OperationId id) const {
    if (id.task.value >= unshared_.size()) return id;
    const std::vector<std::uint32_t>& numbers = unshared_[id.task.value];
    const auto before = std::ranges::lower_bound(numbers, id.number) - numbers.begin();
    id.number -= static_cast<std::uint32_t>(before);
    return id;
  }

  RecordedAnswers record_;
  std::vector<std::vector<std::uint32_t>> unshared_;  ///< by task, in their order
  std::size_t next_step_ = 0;
};

}  // namespace

std::unique_ptr<Chooser> make_follower_of_shared(const Schedule& schedule) {
  return std::make_unique<SharedFollower>(schedule);
}

}  // namespace orrery::detail
