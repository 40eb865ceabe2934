// Round robin: tasks take turns in the order of their numbers, each for a fixed number of steps.
//
// Not from a paper; it is what a fair, preemptive scheduler with one quantum does.  Each run has
// another quantum (`stride` steps and more) and another length of the first turn, so that a short
// search sees many regular interleavings: runs 0, 1, 2, 3, ... go through the pairs (longer by,
// first turn longer by) = (0, 0), (1, 0), (0, 1), (2, 0), ... The seed plays no part.  Deliveries
// and deadlines belong to the turn of the task that sent or waits.  Messages, waiters and requests
// are taken in turn too; draws go through their range in turn.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

class RoundRobinChooser final : public Chooser {
 public:
  explicit RoundRobinChooser(std::uint64_t stride) : stride_(stride) {}

  void begin_run(const RunInfo& info) override {
    const std::uint64_t row = triangular_root(info.run_index);
    const std::uint64_t place = info.run_index - row * (row + 1) / 2;
    quantum_ = stride_ + (row - place);
    turn_ = TaskId{};
    turn_ends_ = quantum_ + place;
    asked_ = info.run_index;
  }
  Decision choose(const ChoicePoint& point) override {
    if (point.kind != ChoiceKind::step) return Decision::take(asked_++ % point.alternatives.size());
    const bool turn_goes_on = !point.current_has_yielded && point.step < turn_ends_;
    const std::uint32_t from = turn_.value + (turn_goes_on ? 0U : 1U);
    const std::size_t index = next_from(point, from);
    const TaskId owner = point.alternatives[index].id.task;
    if (owner != turn_ || !turn_goes_on) {
      turn_ = owner;
      turn_ends_ = point.step + quantum_;
    }
    return Decision::take(index);
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    const std::uint64_t count = question.high - question.low + 1;  // 0: all 2^64
    const std::uint64_t turn = asked_++;
    return question.low + (count == 0 ? turn : turn % count);
  }

 private:
  /// The largest n with n (n + 1) / 2 <= index.
  static std::uint64_t triangular_root(std::uint64_t index) {
    auto n = static_cast<std::uint64_t>(std::sqrt(2.0 * static_cast<double>(index)));
    while (n > 0 && n * (n + 1) / 2 > index) --n;
    while ((n + 1) * (n + 2) / 2 <= index) ++n;
    return n;
  }
  /// The first alternative at or after task `from`, cyclically; of one task, its operation before
  /// its deadline.
  static std::size_t next_from(const ChoicePoint& point, std::uint32_t from) {
    std::size_t best = 0;
    std::uint32_t best_distance = UINT32_MAX;
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      const std::uint32_t distance = point.alternatives[i].id.task.value - from;  // wraps around
      const bool is_nearer = distance < best_distance;
      const bool is_preferred =
          distance == best_distance && point.alternatives[best].kind == OperationKind::timeout;
      if (is_nearer || is_preferred) best = i, best_distance = distance;
    }
    return best;
  }

  std::uint64_t stride_;
  std::uint64_t quantum_ = 1;
  TaskId turn_;
  std::uint64_t turn_ends_ = 0;  // the first step that is not part of the turn
  std::uint64_t asked_ = 0;
};

class RoundRobinStrategy final : public Strategy {
 public:
  explicit RoundRobinStrategy(std::uint64_t stride) : stride_(stride) {}
  [[nodiscard]] std::string text() const override {
    return "round_robin:stride=" + std::to_string(stride_);
  }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<RoundRobinChooser>(stride_);
  }

 private:
  std::uint64_t stride_;
};

}  // namespace

std::unique_ptr<Strategy> make_round_robin(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({"stride"});
  return std::make_unique<RoundRobinStrategy>(given.whole_number("stride", 1, 1, 1'000'000'000));
}

}  // namespace orrery::detail
