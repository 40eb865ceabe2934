#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "messages/recorded_tasks.hpp"
#include "operation_places.hpp"
#include "planned_steps.hpp"
#include "recorded_answers.hpp"
#include "schedules/alternatives.hpp"

namespace orrery {
namespace {

using detail::PlannedSteps;
using detail::StepKey;

/// So many steps that the record does not have may be taken while one that it has is waited for.
constexpr std::uint64_t patience = 16;

bool fits(const MatchingStep& receive, const MatchingStep& message) {
  return receive.context == message.context &&
         (receive.source == any_source || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

}  // namespace

/// Tasks and operations by their numbers in the recorded run, unless it says `here`.
class BentChooser::State {
 public:
  State(const Schedule& schedule, const BendPlan& plan)
      : plan_(plan), steps_(schedule, plan), answers_(schedule, plan), is_met_(plan.bends.size()) {
    MessageRecords starts;
    starts.first_started = 1;
    starts.starters = plan.starters;
    tasks_.begin(starts);
  }

  void begin_run(const Names* names) { names_ = names; }
  void on_task(TaskId here, std::span<const TaskId> predecessors) {
    tasks_.on_task(here, predecessors);
  }
  [[nodiscard]] Alternative recorded(const Alternative& here) const {
    Alternative told = here;
    told.id = tasks_.of(here.id);
    told.asker = tasks_.of(here.asker);
    return told;
  }
  [[nodiscard]] OperationId recorded(OperationId here) const { return tasks_.of(here); }
  [[nodiscard]] bool admits_step(const Alternative& alternative) const;
  [[nodiscard]] bool admits_match(OperationId send, OperationId receiver) const;
  void took(const Alternative& alternative);
  [[nodiscard]] const OpenOutcome* expects(OperationId id, const Operation& operation);
  [[nodiscard]] std::size_t choose_step(const ChoicePoint& point) const;
  [[nodiscard]] std::size_t choose_message(const ChoicePoint& point);
  [[nodiscard]] std::size_t choose(const ChoicePoint& point);
  [[nodiscard]] std::uint64_t choose_value(ValueQuestion question);
  bool gives_way(const PendingOperations& pending);
  void on_matching(MatchingStep step);

  [[nodiscard]] std::optional<Unmet> unmet() const;
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  [[nodiscard]] std::uint64_t steps_kept() const { return steps_.taken(); }
  [[nodiscard]] std::uint64_t steps_left_out() const { return steps_.size() - steps_.taken(); }

 private:
  [[nodiscard]] bool is_followed() const { return steps_.next() < plan_.steps_followed; }
  [[nodiscard]] bool is_held_back(const Alternative& alternative) const;
  [[nodiscard]] bool may_arrive(OperationId send) const;
  [[nodiscard]] bool can_come(const StepKey& step, const PendingOperations& pending) const;
  [[nodiscard]] std::optional<std::size_t> wish_of(OperationId receiver) const;
  [[nodiscard]] std::string what_is_missing(const PendingOperations& pending) const;

  /// Where in the list a send, or whatever was chosen, is; behind it: nowhere.
  [[nodiscard]] std::size_t index_of(const ChoicePoint& point, OperationId wanted) const {
    const auto found = std::ranges::find_if(
        point.alternatives, [&](const Alternative& one) { return tasks_.of(one.id) == wanted; });
    return static_cast<std::size_t>(found - point.alternatives.begin());
  }

  const BendPlan& plan_;
  PlannedSteps steps_;
  detail::RecordedTasks tasks_;
  detail::RecordedAnswers answers_;
  const Names* names_ = nullptr;
  std::vector<bool> is_met_;                                          // by bend
  std::unordered_map<std::uint64_t, MatchingStep> sent_;              // by send
  std::unordered_set<std::uint64_t> arrived_;                         // sends
  std::unordered_map<std::int32_t, std::vector<MatchingStep>> open_;  // receives, by rank
  std::uint64_t beside_ = 0;  // steps that are not the record's, in a row
  bool is_free_ = false;      // all that is planned has come, or cannot
  std::string obstacle_;      // why it does not go on; empty: it does
  OpenOutcome expected_;      // the newest
};

// --- admission ----------------------------------------------------------------------------------

std::optional<std::size_t> BentChooser::State::wish_of(OperationId receiver) const {
  for (std::size_t i = 0; i < plan_.bends.size(); ++i) {
    const Bend& bend = plan_.bends[i];
    if (bend.kind == Bend::Kind::takes && bend.first == receiver) return i;
  }
  return std::nullopt;
}

/// A message does not come before the first open receive that it fits may have it.
bool BentChooser::State::may_arrive(OperationId send) const {
  const auto message = sent_.find(send.packed());
  if (message == sent_.end()) return true;
  const auto open = open_.find(message->second.destination);
  if (open == open_.end()) return true;
  const auto first = std::ranges::find_if(
      open->second, [&](const MatchingStep& receive) { return fits(receive, message->second); });
  if (first == open->second.end()) return true;
  for (std::size_t i = 0; i < plan_.bends.size(); ++i) {
    const Bend& bend = plan_.bends[i];
    if (is_met_[i] || bend.kind != Bend::Kind::takes) continue;
    if ((bend.first == first->receiver) != (bend.second == send)) return false;
  }
  return true;
}

bool BentChooser::State::is_held_back(const Alternative& alternative) const {
  const OperationKind kind = alternative.kind;
  if (kind == OperationKind::deliver) return !may_arrive(alternative.id);
  if (is_machine_step(kind)) return false;
  for (std::size_t i = 0; i < plan_.bends.size(); ++i) {
    const Bend& bend = plan_.bends[i];
    if (is_met_[i]) continue;
    if (bend.kind == Bend::Kind::before) {
      if (bend.second == alternative.id) return true;
    } else if (bend.first == alternative.id && kind != OperationKind::post_receive) {
      if (!arrived_.contains(bend.second.packed())) return true;
    }
  }
  return false;
}

bool BentChooser::State::admits_step(const Alternative& alternative) const {
  if (!obstacle_.empty() || is_held_back(alternative)) return false;
  if (is_free_) return true;
  const StepKey key = StepKey::of(alternative.id, alternative.kind);
  const std::size_t place = steps_.place_of(key);
  if (place != PlannedSteps::nowhere) return place <= steps_.next();
  if (is_followed()) return false;
  // Not of the record, but of a run that has left it.
  if (key.what == StepKey::What::timeout) {
    return steps_.place_of({key.id, StepKey::What::task}) < steps_.next();
  }
  return beside_ < patience && !is_poll(alternative.kind);
}

bool BentChooser::State::admits_match(OperationId send, OperationId receiver) const {
  const auto wish = wish_of(receiver);
  return !wish || is_met_[*wish] || plan_.bends[*wish].second == send;
}

void BentChooser::State::took(const Alternative& alternative) {
  const StepKey key = StepKey::of(alternative.id, alternative.kind);
  const bool was_followed = is_followed();
  const std::size_t place = steps_.take(key);
  const bool is_recorded = place != PlannedSteps::nowhere;
  beside_ = is_recorded ? 0 : beside_ + 1;
  if (was_followed && is_recorded && steps_.kind(place) != alternative.kind) {
    obstacle_ = fmt::format("the program does not do again what it did: {} comes to {}, not to {}",
                            names_->task(tasks_.here(alternative.id.task)), name(alternative.kind),
                            name(steps_.kind(place)));
  }
  if (alternative.kind == OperationKind::deliver) arrived_.insert(alternative.id.packed());
  if (key.what != StepKey::What::task) return;
  for (std::size_t i = 0; i < plan_.bends.size(); ++i) {
    const Bend& bend = plan_.bends[i];
    if (bend.kind == Bend::Kind::before && bend.first == alternative.id) is_met_[i] = true;
  }
}

void BentChooser::State::on_matching(MatchingStep step) {
  using Kind = MatchingStep::Kind;
  step.send = tasks_.of(step.send);
  step.receiver = tasks_.of(step.receiver);
  if (step.kind == Kind::sent) {
    if (!step.is_call) sent_[step.send.packed()] = step;
    return;
  }
  std::vector<MatchingStep>& open = open_[step.destination];
  if (step.kind == Kind::posted) {
    open.push_back(step);
    return;
  }
  if (step.kind != Kind::seen) {
    std::erase_if(open, [&](const MatchingStep& one) { return one.receiver == step.receiver; });
  }
  const auto wish = wish_of(step.receiver);
  if (wish && plan_.bends[*wish].second == step.send) is_met_[*wish] = true;
}

// --- answers ------------------------------------------------------------------------------------

const OpenOutcome* BentChooser::State::expects(OperationId id, const Operation& operation) {
  const auto found = std::ranges::lower_bound(plan_.selections, id, {}, &BendPlan::Selection::call);
  if (found == plan_.selections.end() || found->call != id) return nullptr;
  if (found->among != operation.value) return nullptr;
  expected_ = {.succeeded = true, .among = found->among, .reported = found->reported, .about = {}};
  return &expected_;
}

std::size_t BentChooser::State::choose_step(const ChoicePoint& point) const {
  std::size_t first = PlannedSteps::nowhere;
  std::size_t taken = point.alternatives.size();
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const Alternative& one = point.alternatives[i];
    const std::size_t place = steps_.place_of(StepKey::of(tasks_.of(one.id), one.kind));
    if (place >= first) continue;
    first = place;
    taken = i;
  }
  return taken == point.alternatives.size() ? point.default_index() : taken;
}

std::size_t BentChooser::State::choose_message(const ChoicePoint& point) {
  const std::size_t count = point.alternatives.size();
  const OperationId asker = tasks_.of(point.asker);
  if (const auto wish = wish_of(asker); wish && !is_met_[*wish]) {
    const std::size_t place = index_of(point, plan_.bends[*wish].second);
    if (place < count) return place;
  }
  const auto is_for_another = [&](const Alternative& one) {
    for (std::size_t i = 0; i < plan_.bends.size(); ++i) {
      const Bend& bend = plan_.bends[i];
      if (bend.kind != Bend::Kind::takes || is_met_[i]) continue;
      if (bend.second == tasks_.of(one.id)) return true;
    }
    return false;
  };
  if (const auto chosen = answers_.chosen(asker, ChoiceKind::message)) {
    const std::size_t place = index_of(point, *chosen);
    if (place < count && !is_for_another(point.alternatives[place])) return place;
  }
  const std::size_t usual = point.default_index();
  if (!is_for_another(point.alternatives[usual])) return usual;
  const auto free = std::ranges::find_if_not(point.alternatives, is_for_another);
  return free == point.alternatives.end()
             ? usual
             : static_cast<std::size_t>(free - point.alternatives.begin());
}

std::size_t BentChooser::State::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step) return choose_step(point);
  if (point.kind == ChoiceKind::message) return choose_message(point);
  if (const auto chosen = answers_.chosen(tasks_.of(point.asker), point.kind)) {
    const std::size_t place = index_of(point, *chosen);
    if (place < point.alternatives.size()) return place;
  }
  return point.default_index();
}

std::uint64_t BentChooser::State::choose_value(ValueQuestion question) {
  question.asker = tasks_.of(question.asker);
  if (question.kind == ChoiceKind::clock) return answers_.date(question, is_followed());
  return answers_.value(question);
}

// --- what cannot come ---------------------------------------------------------------------------

/// If not, others have to come before.
bool BentChooser::State::can_come(const StepKey& step, const PendingOperations& pending) const {
  if (step.what != StepKey::What::task && step.what != StepKey::What::timeout) {
    return sent_.contains(step.id.packed());
  }
  const TaskId here = tasks_.here(step.id.task);
  return here.value < pending.task_count() && pending.state(here) != TaskState::ended &&
         tasks_.of(pending.id(here)) == step.id;
}

std::string BentChooser::State::what_is_missing(const PendingOperations& pending) const {
  const auto bend = std::ranges::find(is_met_, false) - is_met_.begin();
  if (static_cast<std::size_t>(bend) == is_met_.size()) return {};
  const OperationId wanted = plan_.bends[static_cast<std::size_t>(bend)].first;
  const TaskId task = tasks_.here(wanted.task);
  if (task.value >= pending.task_count()) {
    return fmt::format("task {} does not come to be", task.value);
  }
  if (pending.state(task) == TaskState::ended) return names_->task(task) + " has ended before that";
  const OperationId id = pending.id(task);
  const Operation& operation = pending.operation(task);
  const std::string line = operation.where == nullptr
                               ? std::string()
                               : detail::line_text(names_->place(*operation.where));
  return fmt::format("{} is at its operation {} ({}{}{}) and nothing goes on", names_->task(task),
                     detail::number_text(id), name(operation.kind), line.empty() ? "" : ", ", line);
}

bool BentChooser::State::gives_way(const PendingOperations& pending) {
  if (!obstacle_.empty()) return false;
  if (is_followed()) {
    const StepKey& wanted = steps_[steps_.next()];
    obstacle_ = fmt::format(
        "the program does not do again what it did: step {}, {} of operation {} of {}, does not "
        "come",
        steps_.next() + 1, name(steps_.kind(steps_.next())), wanted.id.number,
        wanted.id.task.value < pending.task_count() ? names_->task(tasks_.here(wanted.id.task))
                                                    : "a task that is not there");
    return false;
  }
  if (is_free_) {
    // Whatever is held back is held back for a bend.
    obstacle_ = what_is_missing(pending);
    return false;
  }
  beside_ = 0;
  if (!steps_.is_over()) steps_.leave_out();
  while (!steps_.is_over() && !can_come(steps_[steps_.next()], pending)) steps_.leave_out();
  is_free_ = steps_.is_over();
  return true;
}

std::optional<BentChooser::Unmet> BentChooser::State::unmet() const {
  const auto bend = std::ranges::find(is_met_, false) - is_met_.begin();
  if (static_cast<std::size_t>(bend) == is_met_.size()) return std::nullopt;
  return Unmet{static_cast<std::size_t>(bend),
               obstacle_.empty() ? std::string("the run is over before that") : obstacle_};
}

// --- the chooser --------------------------------------------------------------------------------

BentChooser::BentChooser(const Schedule& schedule, const BendPlan& plan)
    : state_(std::make_unique<State>(schedule, plan)) {}
BentChooser::~BentChooser() = default;

void BentChooser::begin_run(const RunInfo& info) {
  state_->begin_run(info.names);
}
bool BentChooser::admits(const Alternative& alternative) {
  const Alternative told = state_->recorded(alternative);
  return detail::is_step(alternative) ? state_->admits_step(told)
                                      : state_->admits_match(told.id, told.asker);
}
void BentChooser::took(const Alternative& alternative) {
  state_->took(state_->recorded(alternative));
}
const OpenOutcome* BentChooser::expects(OperationId id, const Operation& operation) {
  return state_->expects(state_->recorded(id), operation);
}
Decision BentChooser::choose(const ChoicePoint& point) {
  return Decision::take(state_->choose(point));
}
std::uint64_t BentChooser::choose_value(const ValueQuestion& question) {
  return state_->choose_value(question);
}
bool BentChooser::gives_way(const PendingOperations& pending) {
  return state_->gives_way(pending);
}
std::string BentChooser::explain_divergence(const PendingOperations&) {
  return state_->obstacle();
}
void BentChooser::on_task(TaskId task, std::span<const TaskId> predecessors) {
  state_->on_task(task, predecessors);
}
void BentChooser::on_matching(const MatchingStep& step) {
  state_->on_matching(step);
}
void BentChooser::end_run(const Outcome&) {}

std::optional<BentChooser::Unmet> BentChooser::unmet() const {
  return state_->unmet();
}
std::uint64_t BentChooser::steps_kept() const {
  return state_->steps_kept();
}
std::uint64_t BentChooser::steps_left_out() const {
  return state_->steps_left_out();
}

}  // namespace orrery
