#include "turns_around.hpp"

#include <cstddef>
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
  const std::size_t count = recorded_.turns.size();
  if (run == 0 || count < 2) return recorded_.turns;
  const std::uint64_t change = run - 1;
  const std::uint64_t singles = 2 * (count - 1);
  if (change < singles) {
    const std::size_t at = count - 1 - static_cast<std::size_t>(change / 2);
    if (change % 2 == 1) return ended_elsewhere(recorded_.turns, at, -1);
    Turns turns = recorded_.turns;
    std::swap(turns[at - 1], turns[at]);
    return turns;
  }
  const KeyedDraw draw(info.seed, info.run_index);
  Turns turns = recorded_.turns;
  for (std::uint64_t i = 0; i <= change / singles; ++i) turns = neighbour_of(turns, draw, i);
  return turns;
}

Decision TurnsAround::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step) return taker_->choose(point);
  return answers_.choose(point, std::identity());
}

std::uint64_t TurnsAround::choose_value(const ValueQuestion& question) {
  return answers_.choose_value(question, std::identity());
}

}  // namespace orrery::detail
