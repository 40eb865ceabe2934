// PCT: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic
// guarantees of finding bugs" (ASPLOS 2010).
//
// Each task gets a random priority and the highest that is enabled goes on; at depth - 1 random
// steps the one that would go on falls to a priority below all that were drawn.  A bug of depth d
// among n tasks and k steps is found with a likelihood of at least 1 / (n k^(d-1)) in each run.
// Where we differ:
// * Channels of messages have priorities as tasks have, so that a late message is one change away.
//   Which message a wildcard takes goes by its channel, which sleeper wakes by its task.
// * k, the length of a run, is the parameter `steps`: answers may not depend on earlier runs.  A
//   longer run sees no change after `steps`; a shorter one perhaps fewer than depth - 1.
// * A step that leaves no choice is not asked, so a change that falls on it comes at the next
//   question.
// * A task whose poll has just failed falls to the lowest priority: else it would starve the one
//   that it polls for.  So does one that goes from sleep to sleep while nobody else acts: it looks
//   in between for what others do.
// A choice takes time in proportion to the number of alternatives.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "keyed_draw.hpp"
#include "priorities.hpp"
#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

class PctChooser final : public Chooser {
 public:
  PctChooser(std::uint64_t depth, std::uint64_t steps) : depth_(depth), steps_(steps) {}

  void begin_run(const RunInfo& info) override {
    draw_ = KeyedDraw(info.seed, info.run_index);
    priorities_.begin_run(draw_);
    changes_.clear();
    for (std::uint64_t i = 1; i < depth_; ++i) {
      changes_.push_back(scale_to(draw_.bits(i, 3), steps_));
    }
    std::sort(changes_.begin(), changes_.end());
    next_change_ = 0;
    has_sleeper_ = false;
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.current_has_yielded) priorities_.drop_to_lowest(point.current);
    switch (point.kind) {
      case ChoiceKind::step: return Decision::take(choose_step(point));
      case ChoiceKind::message:
        return Decision::take(
            highest(point, [this](const Alternative& one) { return priorities_.of_message(one); }));
      case ChoiceKind::waiter:
        return Decision::take(highest(
            point, [this](const Alternative& one) { return priorities_.of_task(one.id.task); }));
      default: return Decision::take(draw_.index(point));
    }
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return draw_.value(question);
  }

 private:
  std::size_t choose_step(const ChoicePoint& point) {
    const auto priority = [this](const Alternative& one) { return priorities_.of(one); };
    std::size_t best = highest(point, priority);
    while (next_change_ < changes_.size() && point.step >= changes_[next_change_]) {
      // The later the change, the lower: between those that polled and those that were drawn.
      priorities_.set(point.alternatives[best],
                      Priorities::fallen_below + changes_.size() - next_change_);
      ++next_change_;
      best = highest(point, priority);
    }
    note_sleep(point.alternatives[best]);
    return best;
  }

  void note_sleep(const Alternative& taken) {
    const bool is_sleeper = has_sleeper_ && taken.id.task == sleeper_;
    if (taken.kind != OperationKind::sleep) {
      has_sleeper_ = is_sleeper;
      return;
    }
    if (is_sleeper) priorities_.drop_to_lowest(taken);
    sleeper_ = taken.id.task;
    has_sleeper_ = true;
  }

  std::uint64_t depth_;
  std::uint64_t steps_;
  KeyedDraw draw_;
  Priorities priorities_;
  std::vector<std::uint64_t> changes_;  // steps, ascending
  std::size_t next_change_ = 0;
  TaskId sleeper_;  // who slept last, and has been the only one to act since
  bool has_sleeper_ = false;
};

class PctStrategy final : public Strategy {
 public:
  PctStrategy(std::uint64_t depth, std::uint64_t steps) : depth_(depth), steps_(steps) {}
  [[nodiscard]] std::string text() const override {
    return "pct:depth=" + std::to_string(depth_) + ",steps=" + std::to_string(steps_);
  }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<PctChooser>(depth_, steps_);
  }

 private:
  std::uint64_t depth_;
  std::uint64_t steps_;
};

}  // namespace

std::unique_ptr<Strategy> make_pct(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({"depth", "steps"});
  return std::make_unique<PctStrategy>(given.whole_number("depth", 3, 1, 1000),
                                       given.whole_number("steps", 200, 1, 1'000'000'000'000));
}

}  // namespace orrery::detail
