#include "turns_around.hpp"

#include <functional>
#include <utility>

#include "keyed_draw.hpp"

namespace orrery::detail {

void TurnsAround::begin(const RunInfo& info, std::uint64_t run) {
  places_.begin_run(info);
  answers_.begin_run();
  TurnsOfRun changed = recorded_;
  changed.turns = turns_of_run(info, run);
  taker_ = make_polling_turn_taker(changed, {}, places_);
}

Turns TurnsAround::turns_of_run(const RunInfo& info, std::uint64_t run) const {
  if (run == 0 || cuts_.empty()) return recorded_.turns;
  const std::uint64_t change = run - 1;
  if (change < cuts_.size()) {
    return with_next_at(recorded_.turns, cuts_[cuts_.size() - 1 - change]);
  }
  const KeyedDraw draw(info.seed, info.run_index);
  Turns turns = recorded_.turns;
  for (std::uint64_t i = 0; i <= change / cuts_.size(); ++i) turns = neighbour_of(turns, draw, i);
  return turns;
}

Decision TurnsAround::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step) return taker_->choose(point);
  return answers_.choose(point, std::identity());
}

std::uint64_t TurnsAround::choose_value(const ValueQuestion& question) {
  if (question.kind == ChoiceKind::clock) return taker_->choose_value(question);
  return answers_.choose_value(question, std::identity());
}

}  // namespace orrery::detail
