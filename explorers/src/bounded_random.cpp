#include "bounded_random.hpp"

#include <algorithm>
#include <vector>

#include "keyed_draw.hpp"
#include "strategy.hpp"

namespace orrery::detail {
namespace {

class BoundedRandomChooser final : public Chooser {
 public:
  BoundedRandomChooser(std::uint64_t preemptions, std::uint64_t steps, std::uint64_t index)
      : preemptions_(preemptions), steps_(std::max<std::uint64_t>(steps, 1)), index_(index) {}

  void begin_run(const RunInfo& info) override {
    draw_ = KeyedDraw(mix64(info.seed) + info.run_index, index_);
    moments_.clear();
    for (std::uint64_t i = 0; i < preemptions_; ++i) {
      moments_.push_back(scale_to(draw_.bits(i, 5), steps_));
    }
    std::sort(moments_.begin(), moments_.end());
    next_moment_ = 0;
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.kind != ChoiceKind::step || !point.current_is_enabled) {
      return Decision::take(draw_.index(point));
    }
    const bool is_due = next_moment_ < moments_.size() && point.step >= moments_[next_moment_];
    std::size_t index = draw_among(point, is_due);
    if (index == point.alternatives.size()) index = draw_among(point, !is_due);
    if (is_preemption(point, point.alternatives[index])) ++next_moment_;
    return Decision::take(index);
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return draw_.value(question);
  }

 private:
  /// One of those that preempt, or of those that do not; the number of alternatives if there is
  /// none.
  [[nodiscard]] std::size_t draw_among(const ChoicePoint& point, bool preempting) const {
    std::uint64_t count = 0;
    for (const Alternative& one : point.alternatives) {
      count += is_preemption(point, one) == preempting ? 1 : 0;
    }
    if (count == 0) return point.alternatives.size();
    std::uint64_t position = scale_to(draw_.bits(point.question), count);
    std::size_t index = 0;
    while (is_preemption(point, point.alternatives[index]) != preempting || position-- > 0) ++index;
    return index;
  }

  std::uint64_t preemptions_;
  std::uint64_t steps_;
  std::uint64_t index_;
  KeyedDraw draw_;
  std::vector<std::uint64_t> moments_;  // steps, ascending
  std::size_t next_moment_ = 0;
};

}  // namespace

std::unique_ptr<Chooser> make_bounded_random(std::uint64_t preemptions, std::uint64_t steps,
                                             std::uint64_t index) {
  return std::make_unique<BoundedRandomChooser>(preemptions, steps, index);
}

}  // namespace orrery::detail
