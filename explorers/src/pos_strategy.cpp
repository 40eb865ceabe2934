// POS: Yuan, Yang and Gu, "Partial order aware concurrency sampling" (CAV 2018).
//
// Each pending operation gets a random priority and the highest goes on; when it does, the other
// pending operations that race with it get new ones.  So the order of operations that commute
// takes no part in the odds.  Where we differ:
// * Draws are keyed by (run, operation, how often it was drawn again), not by a generator.
// * Only operations that are enabled are drawn again; one that is blocked (a lock that is held)
//   keeps its priority.
// * Deliveries are operations too: two into one mailbox race.
// * Which message, sleeper or request is taken, and draws, are drawn by weight.
// A choice takes time in proportion to the number of alternatives.
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "keyed_draw.hpp"
#include "priorities.hpp"
#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

class PosChooser final : public Chooser {
 public:
  void begin_run(const RunInfo& info) override {
    draw_ = KeyedDraw(info.seed, info.run_index);
    tasks_.clear();
    channels_.clear();
  }
  Decision choose(const ChoicePoint& point) override {
    if (point.kind != ChoiceKind::step) return Decision::take(draw_.index(point));
    const std::size_t best =
        highest(point, [&](const Alternative& one) { return priority(one, point); });
    draw_racing_again(point, best);
    return Decision::take(best);
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return draw_.value(question);
  }

 private:
  /// How often the priority of one operation was drawn again.
  struct Drawn {
    std::uint32_t number = 0;
    std::uint32_t times = 0;
  };

  /// The entry of the alternative's task, or of the channel that it is the head of.
  Drawn& entry(const Alternative& one) {
    const std::uint64_t task = one.id.task.value;
    if (is_machine_step(one)) {
      return channels_[mix64(one.object.packed()) + task * 64 + static_cast<unsigned>(one.kind)];
    }
    if (tasks_.size() <= task) tasks_.resize(task + 1);
    return tasks_[task];
  }
  [[nodiscard]] std::uint64_t priority(const Alternative& one, const ChoicePoint& point) {
    if (point.current_has_yielded && one.id.task == point.current && !is_machine_step(one))
      return 0;
    const Drawn& drawn = entry(one);
    const std::uint32_t times = drawn.number == one.id.number ? drawn.times : 0;
    const std::uint64_t key = one.id.packed() ^ static_cast<std::uint64_t>(one.kind) << 56U;
    return draw_.bits(key, 4 + times % 64) | 1U;
  }
  void draw_racing_again(const ChoicePoint& point, std::size_t chosen) {
    const Operation executed = operation(point.alternatives[chosen], point);
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      const Alternative& one = point.alternatives[i];
      if (i == chosen || !are_dependent(executed, operation(one, point))) continue;
      Drawn& drawn = entry(one);
      if (drawn.number != one.id.number) drawn = {one.id.number, 0};
      ++drawn.times;
    }
  }
  static Operation operation(const Alternative& one, const ChoicePoint& point) {
    if (!is_machine_step(one)) return point.pending.operation(one.id.task);
    Operation step;
    step.kind = one.kind;
    step.object = one.object;
    return step;
  }

  KeyedDraw draw_;
  std::vector<Drawn> tasks_;
  std::unordered_map<std::uint64_t, Drawn> channels_;  // looked up, never gone through
};

class PosStrategy final : public Strategy {
 public:
  [[nodiscard]] std::string text() const override { return "pos"; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<PosChooser>();
  }
};

}  // namespace

std::unique_ptr<Strategy> make_pos(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({});
  return std::make_unique<PosStrategy>();
}

}  // namespace orrery::detail
