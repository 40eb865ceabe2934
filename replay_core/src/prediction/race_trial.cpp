#include "race_trial.hpp"

#include <algorithm>
#include <utility>

namespace orrery::detail {
namespace {

constexpr std::size_t nowhere = PlanChooser::nowhere;

/// The run that shows a race may be the beginning of a longer one, which died: its end is wanted.
constexpr std::uint64_t questions_after_max = 1'000'000;

/// Of a run that does not show it: who spins may do so more often than in the run that was watched.
std::uint64_t questions_before_max(const TrialPlan& plan) {
  return 20 * (plan.before.size() + plan.after.size()) + 10'000;
}

/// A stop before an access has no object, and the number of what its task did before.
bool is_stop(const Alternative& one) {
  return one.object == ObjectId{} &&
         (one.kind == OperationKind::read || one.kind == OperationKind::write);
}

/// Of each task: the last of its operations that is among so many of its events.
std::vector<std::uint32_t> last_operations(const SyncTrace& trace,
                                           const std::vector<std::uint32_t>& events) {
  std::vector<std::uint32_t> last(events.size());
  for (std::uint32_t task = 0; task < last.size(); ++task) {
    if (events[task] > 0) last[task] = trace.at({task, events[task] - 1}).operation;
  }
  return last;
}

TrialAccess access_at(const SyncTrace& trace, TraceRef ref) {
  const TraceEvent& event = trace.at(ref);
  return {TaskId{ref.task},
          event.operation,
          event.kind == TraceEvent::Kind::write,
          trace.variable_at(event.address),
          trace.places().place(event.place).program_counter,
          {event.address, event.address + event.size_bytes}};
}

/// What must have happened; then what may have to, all the same; in that order.
std::vector<PlannedStep> all_steps(const TrialPlan& plan) {
  std::vector<PlannedStep> steps = plan.before;
  steps.insert(steps.end(), plan.after.begin(), plan.after.end());
  return steps;
}

}  // namespace

void RunDecisions::on_choice(const ChoicePoint& point, std::size_t index) {
  if (point.kind == ChoiceKind::step) return;
  const std::uint64_t chosen = point.alternatives[index].id.packed();
  if (point.kind == ChoiceKind::message) {
    answers.messages[point.asker.packed()] = chosen;
  } else {
    answers.choices[point.question] = chosen;
  }
}

void RunDecisions::on_value(const ValueQuestion& question, std::uint64_t answer) {
  // What clocks say follows from the order that is tried.
  if (question.kind != ChoiceKind::clock) answers.draws[question.question] = answer;
}

TrialPlan plan_trial(const SyncTrace& trace, const RunDecisions& run, const PredictedRace& race) {
  TrialPlan plan;
  plan.accesses = {access_at(trace, race.earlier), access_at(trace, race.later)};
  const std::vector<std::uint32_t> first = last_operations(trace, race.first_events);
  std::vector<std::uint32_t> last = last_operations(trace, race.events);
  for (const TrialAccess& access : plan.accesses) {
    // An access of memory comes behind its operation.
    std::uint32_t& operation = last[access.task.value];
    if (!access.is_operation()) operation = std::max(operation, access.operation);
  }
  std::vector<PlannedStep> second;
  for (const PlannedStep& step : run.steps) {
    const auto is_among = [&](const std::vector<std::uint32_t>& operations) {
      const std::uint32_t task = step.id.task.value;
      return task < operations.size() && step.id.number <= operations[task];
    };
    (is_among(first) ? plan.before : is_among(last) ? second : plan.after).push_back(step);
  }
  plan.before.insert(plan.before.end(), second.begin(), second.end());
  plan.answers = run.answers;
  return plan;
}

TrialPlan plan_directed_trial(const SyncTrace& trace, const RunDecisions& run, TraceRef one,
                              TraceRef other) {
  return {{access_at(trace, one), access_at(trace, other)}, true, run.steps, {}, run.answers};
}

RunExtent TrialPlan::extent() const {
  return RunExtent::to_its_end(questions_before_max(*this) + questions_after_max);
}

TrialChooser::TrialChooser(const TrialPlan& plan, std::size_t first, std::function<void()> shown)
    : plan_(plan),
      first_(first),
      rest_(all_steps(plan), plan.answers),
      shown_(std::move(shown)),
      held_steps_max_(plan.before.size() / 4 + 500),
      // Whoever spins for what does not come must not do so up to the limit of a run.
      steps_before_left_((plan.is_directed ? 8 : 4) * (plan.before.size() + plan.after.size()) +
                         2'000),
      questions_left_(questions_before_max(plan)) {
  if (!plan.accesses[0].is_operation()) {
    const MemoryRange& one = plan.accesses[0].bytes;
    const MemoryRange& other = plan.accesses[1].bytes;
    stops_.push_back({std::max(one.begin, other.begin), std::min(one.end, other.end)});
  }
}

bool TrialChooser::is_access(std::size_t side, const Alternative& one) const {
  const TrialAccess& wanted = plan_.accesses[side];
  const OperationKind kind = wanted.writes ? OperationKind::write : OperationKind::read;
  if (one.id.task != wanted.task || one.kind != kind) return false;
  if (!plan_.is_directed && one.id.number != wanted.operation) return false;
  if (wanted.is_operation()) return one.object == wanted.variable;
  const SourceLocation* const where = pending_->operation(wanted.task).where;
  return where != nullptr && where->program_counter == wanted.program_counter;
}

/// The place alone does not say which of many elements is accessed there.  (A stop has no object,
/// but is one because of its bytes.)
bool TrialChooser::may_meet(ObjectId one, ObjectId other) const {
  return !plan_.is_directed || one == other;
}

bool TrialChooser::are_both_next(const ChoicePoint& point,
                                 const std::array<std::size_t, 2>& there) const {
  return there[0] != nowhere && there[1] != nowhere &&
         may_meet(point.alternatives[there[0]].object, point.alternatives[there[1]].object);
}

bool TrialChooser::admits(const Alternative& one) {
  if (phase_ != Phase::before) return true;
  bool is_wanted = false;
  for (std::size_t side = 0; side < are_there_.size(); ++side) {
    if (!is_access(side, one) || passing_ == one.id.task) continue;
    if (are_there_[1 - side] && !may_meet(one.object, held_at_[1 - side])) continue;
    are_there_[side] = true;
    held_at_[side] = one.object;
    is_wanted = true;
  }
  return !is_wanted || (are_there_[0] && are_there_[1]);
}

void TrialChooser::took(const Alternative& taken) {
  if (phase_ != Phase::before) return;
  if (steps_before_left_-- == 0) phase_ = Phase::after;
  if (passing_ == taken.id.task) passing_.reset();
  // Others may poll for what whoever is held would do.
  if (plan_.is_directed && (are_there_[0] || are_there_[1]) && ++held_steps_ > held_steps_max_) {
    let_one_pass();
  }
}

bool TrialChooser::let_one_pass() {
  held_steps_ = 0;
  for (std::size_t side = 0; side < are_there_.size(); ++side) {
    if (!std::exchange(are_there_[side], false)) continue;
    passing_ = plan_.accesses[side].task;
    return true;
  }
  return false;
}

bool TrialChooser::gives_way(const PendingOperations&) {
  if (phase_ != Phase::before) return false;
  if (plan_.is_directed && let_one_pass()) return true;
  phase_ = Phase::after;  // it cannot be shown in this way
  return true;
}

Decision TrialChooser::choose(const ChoicePoint& point) {
  if (questions_left_-- == 0) return Decision::abandon();
  return point.kind == ChoiceKind::step ? choose_step(point) : rest_.choose(point);
}

Decision TrialChooser::choose_step(const ChoicePoint& point) {
  std::array<std::size_t, 2> there{nowhere, nowhere};
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    for (std::size_t side = 0; side < there.size(); ++side) {
      if (is_access(side, point.alternatives[i])) there[side] = i;
    }
  }
  if (phase_ == Phase::before && are_both_next(point, there)) {
    shown_();
    phase_ = Phase::between;
    questions_left_ += questions_after_max;
    return Decision::take(there[first_]);
  }
  if (phase_ == Phase::between) {
    phase_ = Phase::after;
    if (there[1 - first_] != nowhere) return Decision::take(there[1 - first_]);
  }
  return go_on(point);
}

Decision TrialChooser::go_on(const ChoicePoint& point) {
  std::size_t taken = 0;
  std::size_t first = nowhere;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const Alternative& one = point.alternatives[i];
    if (is_stop(one)) return Decision::take(i);  // a stretch goes on where it was stopped
    if (phase_ != Phase::before) continue;
    // What is in no plan comes last, but comes.
    const std::size_t rank = std::min(rest_.position({one.id, one.kind}), nowhere - 1);
    if (rank >= first) continue;
    first = rank;
    taken = i;
  }
  return phase_ == Phase::before ? Decision::take(taken) : rest_.choose(point);
}

}  // namespace orrery::detail
