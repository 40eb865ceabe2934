#include "turns.hpp"

#include <algorithm>
#include <set>

#include "strategy.hpp"

namespace orrery::detail {
namespace {

class TurnTaker : public Chooser {
 public:
  TurnTaker(const TurnsOfRun& run, const Deviations& other_answers)
      : turns_(run.turns),
        timed_out_(run.timed_out.begin(), run.timed_out.end()),
        timed_out_later_(run.timed_out_later.begin(), run.timed_out_later.end()) {
    others_.set(other_answers);
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.kind != ChoiceKind::step) return others_.choose(point);
    for (; at_ < turns_.size(); ++at_) {
      const Turn& turn = turns_[at_];
      const std::size_t index = find(point, turn);
      if (index == point.alternatives.size()) continue;
      if (turn.machine_step != OperationKind::none) end_turn();
      return Decision::take(index);
    }
    return Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return others_.choose_value(question);
  }

 protected:
  /// Null: all have had their turns.
  [[nodiscard]] const Turn* turn() const { return at_ < turns_.size() ? &turns_[at_] : nullptr; }
  void end_turn() { ++at_; }
  [[nodiscard]] bool belongs(const Turn& turn, const Alternative& one) const {
    if (turn.machine_step != OperationKind::none) {
      return one.kind == turn.machine_step && one.id == turn.last;
    }
    if (is_machine_step(one) || one.id.task != turn.last.task) return false;
    if (one.id.number > turn.last.number) return false;
    if (one.kind == OperationKind::timeout) return timed_out_.contains(one.id);
    return !timed_out_.contains(one.id) || timed_out_later_.contains(one.id);
  }
 private:
  [[nodiscard]] std::size_t find(const ChoicePoint& point, const Turn& turn) const {
    const auto found = std::find_if(point.alternatives.begin(), point.alternatives.end(),
                                    [&](const Alternative& one) { return belongs(turn, one); });
    return static_cast<std::size_t>(found - point.alternatives.begin());
  }

  Turns turns_;
  std::set<OperationId> timed_out_;
  std::set<OperationId> timed_out_later_;
  DeviatingChooser others_;
  std::size_t at_ = 0;
};

class PollingTurnTaker final : public TurnTaker {
 public:
  using TurnTaker::TurnTaker;

  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& one) override { return turn() == nullptr || belongs(*turn(), one); }
  void took(const Alternative& taken) override {
    if (turn() != nullptr && turn()->machine_step != OperationKind::none &&
        belongs(*turn(), taken)) {
      end_turn();
    }
  }
  bool gives_way(const PendingOperations&) override {
    if (turn() == nullptr) return false;
    end_turn();
    return true;
  }
};

}  // namespace

TurnsOfRun turns_of(const Schedule& schedule) {
  TurnsOfRun run;
  std::vector<OperationId> last_steps;  // by task
  for (const ScheduleEntry& entry : schedule.entries) {
    if (entry.type != ScheduleEntry::Type::step) continue;
    if (is_machine_step(entry.operation)) {
      run.turns.push_back({entry.id, entry.operation});
      continue;
    }
    if (entry.id.task.value >= last_steps.size()) last_steps.resize(entry.id.task.value + 1U);
    OperationId& last_step = last_steps[entry.id.task.value];
    if (entry.operation == OperationKind::timeout) {
      run.timed_out.push_back(entry.id);
      if (last_step == entry.id) run.timed_out_later.push_back(entry.id);
    }
    last_step = entry.id;
    const bool goes_on = !run.turns.empty() && run.turns.back().last.task == entry.id.task &&
                         run.turns.back().machine_step == OperationKind::none;
    if (goes_on) {
      run.turns.back().last = entry.id;
    } else {
      run.turns.push_back({entry.id});
    }
  }
  return run;
}

Turns taken_together(const Turns& turns, std::size_t from, std::size_t size, TurnOrder order) {
  const auto begin = turns.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(size, turns.size() - from));
  Turns together;
  const auto is_of_same = [](const Turn& turn) {
    return [&turn](const Turn& other) {
      return other.machine_step == OperationKind::none && other.last.task == turn.last.task;
    };
  };
  for (auto turn = begin; turn != end; ++turn) {
    const auto before = std::find_if(together.begin(), together.end(), is_of_same(*turn));
    if (turn->machine_step != OperationKind::none || before == together.end()) {
      together.push_back(*turn);
    } else if (order == TurnOrder::first) {
      before->last = turn->last;
    } else {
      together.erase(before);
      together.push_back(*turn);
    }
  }
  Turns whole(turns.begin(), begin);
  whole.insert(whole.end(), together.begin(), together.end());
  whole.insert(whole.end(), end, turns.end());
  return whole;
}

Turns neighbour_of(const Turns& turns, const KeyedDraw& draw, std::uint64_t key) {
  const auto drawn = [&](std::uint64_t count, std::uint64_t salt) {
    return static_cast<std::size_t>(scale_to(draw.bits(key, salt), count));
  };
  const std::size_t at = drawn(turns.size(), 1);
  const auto place = [](Turns& of, std::size_t index) {
    return of.begin() + static_cast<std::ptrdiff_t>(index);
  };
  Turns changed = turns;
  switch (drawn(4, 0)) {
    case 0:
    case 1: {
      // As many short ones as long ones.
      const std::size_t size = std::size_t{3} << drawn(6, 2);
      return taken_together(turns, at > size / 2 ? at - size / 2 : 0, size,
                            drawn(2, 3) == 0 ? TurnOrder::first : TurnOrder::last);
    }
    case 2: {
      constexpr std::uint32_t farthest = 8;
      const auto by = static_cast<std::uint32_t>(1 + drawn(farthest, 2));
      std::uint32_t& last = changed[at].last.number;
      last = drawn(2, 3) == 0 ? last + by : last - std::min(last, by);
      return changed;
    }
    default: {
      const Turn turn = changed[at];
      changed.erase(place(changed, at));
      changed.insert(place(changed, drawn(changed.size() + 1, 2)), turn);
      return changed;
    }
  }
}

std::unique_ptr<Chooser> make_turn_taker(const TurnsOfRun& run, const Deviations& other_answers) {
  return std::make_unique<TurnTaker>(run, other_answers);
}

std::unique_ptr<Chooser> make_polling_turn_taker(const TurnsOfRun& run,
                                                 const Deviations& other_answers) {
  return std::make_unique<PollingTurnTaker>(run, other_answers);
}

}  // namespace orrery::detail
