#include "turns.hpp"

#include <algorithm>
#include <set>

#include "strategy.hpp"

namespace orrery::detail {
namespace {

class TurnTaker : public Chooser {
 public:
  TurnTaker(const TurnsOfRun& run, const Deviations& other_answers, const TaskPlaces& places)
      : turns_(run.turns),
        timed_out_(run.timed_out.begin(), run.timed_out.end()),
        timed_out_later_(run.timed_out_later.begin(), run.timed_out_later.end()),
        reads_max_(run.reads_max),
        repeats_max_(run.repeats_max),
        places_(places) {
    others_.set(other_answers);
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.kind != ChoiceKind::step) return others_.choose(point);
    // Somebody was alone meanwhile, and not asked about: who had the turn could not go on.
    if (is_begun_ && places_.last() != turns_[at_].last.task) end_turn();
    for (; at_ < turns_.size(); end_turn()) {
      const Turn& turn = turns_[at_];
      const std::size_t index = find(point, turn);
      if (index == point.alternatives.size()) continue;
      is_begun_ = true;
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
  void end_turn() {
    ++at_;
    is_begun_ = false;
  }
  [[nodiscard]] bool reads_on_and_on(const Alternative& one) const {
    const TaskPlace place = places_.of(one).place;
    return place.reads > reads_max_ || place.repeats > repeats_max_;
  }
  [[nodiscard]] bool belongs(const Turn& turn, const Alternative& one) const {
    if (turn.machine_step != OperationKind::none) {
      return one.kind == turn.machine_step && one.id == turn.id;
    }
    if (is_machine_step(one) || one.id.task != turn.last.task) return false;
    const bool wakes_by_itself = one.kind == OperationKind::condition_wait && has_just_begun(one);
    if (wakes_by_itself) return false;
    const PlacedOperation operation = places_.of(one);
    if (operation.place > turn.last.place) return false;
    if (one.kind == OperationKind::timeout) {
      // What the turn ends with is the wait, and not the end of that.
      const bool is_later = operation.place == turn.last.place && has_just_begun(one);
      return timed_out_.contains(operation) && !is_later;
    }
    return !timed_out_.contains(operation) || timed_out_later_.contains(operation);
  }

 private:
  /// It has begun to wait, and nobody has done anything since.
  [[nodiscard]] bool has_just_begun(const Alternative& one) const {
    return places_.has_done(one.id) && places_.last() == one.id.task;
  }
  [[nodiscard]] std::size_t find(const ChoicePoint& point, const Turn& turn) const {
    const auto found = std::find_if(point.alternatives.begin(), point.alternatives.end(),
                                    [&](const Alternative& one) { return belongs(turn, one); });
    return static_cast<std::size_t>(found - point.alternatives.begin());
  }

  Turns turns_;
  std::set<PlacedOperation> timed_out_;
  std::set<PlacedOperation> timed_out_later_;
  std::uint32_t reads_max_;
  std::uint32_t repeats_max_;
  const TaskPlaces& places_;
  DeviatingChooser others_;
  std::size_t at_ = 0;
  bool is_begun_ = false;  ///< that turn
};

class PollingTurnTaker final : public TurnTaker {
 public:
  PollingTurnTaker(const TurnsOfRun& run, const Deviations& other_answers, const TaskPlaces& places)
      : TurnTaker(run, other_answers, places), clocks_(run.clocks) {}

  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& one) override {
    return turn() == nullptr || (belongs(*turn(), one) && !reads_on_and_on(one));
  }
  void took(const Alternative& taken) override {
    if (turn() != nullptr && turn()->machine_step != OperationKind::none &&
        belongs(*turn(), taken)) {
      end_turn();
    }
  }
  [[nodiscard]] bool lets_sleepers_wake() const override { return turn() != nullptr; }
  bool gives_way(const PendingOperations&) override {
    if (turn() == nullptr) return false;
    end_turn();
    return true;
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (question.kind != ChoiceKind::clock) return TurnTaker::choose_value(question);
    return clocks_.read(question.asker.task, question.low);
  }

 private:
  RecordedClocks clocks_;
};

/// By what a place differs from its neighbours.
std::uint32_t& finest(TaskPlace& place) {
  if (place.repeats > 0) return place.repeats;
  return place.reads > 0 ? place.reads : place.operations;
}

}  // namespace

TurnsOfRun turns_of(const Schedule& schedule, std::vector<TurnCut>* cuts) {
  TurnsOfRun run;
  TaskPlaces places;
  const auto cut_last = [&](std::optional<PlacedOperation> behind) {
    if (cuts != nullptr) cuts->push_back({run.turns.size() - 1, behind});
  };
  for (const ScheduleEntry& entry : schedule.entries) {
    if (entry.is_clock()) run.clocks.push_back({entry.id.task, entry.repeats, entry.value()});
    if (entry.type != ScheduleEntry::Type::step) continue;
    if (is_machine_step(entry.operation)) {
      run.turns.push_back({{}, entry.operation, entry.id});
      cut_last(std::nullopt);
      continue;
    }
    const bool is_begun = places.has_done(entry.id);
    Alternative taken;
    taken.id = entry.id;
    taken.kind = entry.operation;
    taken.object = entry.object();
    const PlacedOperation operation = places.step(taken);
    run.reads_max = std::max(run.reads_max, operation.place.reads);
    run.repeats_max = std::max(run.repeats_max, operation.place.repeats);
    if (entry.operation == OperationKind::timeout) {
      run.timed_out.push_back(operation);
      if (is_begun) run.timed_out_later.push_back(operation);
    }
    const bool goes_on = !run.turns.empty() && run.turns.back().last.task == operation.task &&
                         run.turns.back().machine_step == OperationKind::none;
    if (goes_on) {
      PlacedOperation& last = run.turns.back().last;
      if (operation.place.repeats == 0) cut_last(last);
      last = operation;
    } else {
      run.turns.push_back({operation});
      cut_last(std::nullopt);
    }
  }
  // Nothing comes behind the last turn that could come sooner.
  while (cuts != nullptr && !cuts->empty() && cuts->back().turn + 1 == run.turns.size()) {
    cuts->pop_back();
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

Turns with_next_at(const Turns& turns, const TurnCut& cut) {
  Turns changed = turns;
  std::swap(changed[cut.turn], changed[cut.turn + 1]);
  if (cut.behind) {
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(cut.turn), Turn{*cut.behind});
  }
  return changed;
}

Turns neighbour_of(const Turns& turns, const KeyedDraw& draw, std::uint64_t key) {
  const auto drawn = [&](std::uint64_t count, std::uint64_t salt) {
    return static_cast<std::size_t>(scale_to(draw.bits(key, salt), count));
  };
  const std::size_t at = drawn(turns.size(), 1);
  const auto place = [](Turns& of, std::size_t index) {
    return of.begin() + static_cast<std::ptrdiff_t>(index);
  };
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
      Turns changed = turns;
      std::uint32_t& last = finest(changed[at].last.place);
      last = drawn(2, 3) == 0 ? last + by : last - std::min(last, by);
      return changed;
    }
    default: {
      Turns changed = turns;
      const Turn turn = changed[at];
      changed.erase(place(changed, at));
      changed.insert(place(changed, drawn(changed.size() + 1, 2)), turn);
      return changed;
    }
  }
}

std::unique_ptr<Chooser> make_turn_taker(const TurnsOfRun& run, const Deviations& other_answers,
                                         const TaskPlaces& places) {
  return std::make_unique<TurnTaker>(run, other_answers, places);
}

std::unique_ptr<Chooser> make_polling_turn_taker(const TurnsOfRun& run,
                                                 const Deviations& other_answers,
                                                 const TaskPlaces& places) {
  return std::make_unique<PollingTurnTaker>(run, other_answers, places);
}

}  // namespace orrery::detail
