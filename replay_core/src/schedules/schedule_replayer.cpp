#include "schedule_replayer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "alternatives.hpp"
#include "partings.hpp"
#include "schedule_model.hpp"

namespace orrery {
namespace {

bool is_jitter(const ScheduleEntry& entry) {
  return entry.type == ScheduleEntry::Type::value && entry.choice == ChoiceKind::jitter;
}

}  // namespace

std::size_t ScheduleReplayer::wanted_index() const {
  std::size_t index = next_;
  while (index < schedule_.entries.size() && is_jitter(schedule_.entries[index])) ++index;
  return index;
}

void ScheduleReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  next_ = 0;
  repeats_ = 0;
  steps_beyond_ = 0;
  parted_.reset();
  unplaced_.reset();
  fallback_.begin_run(info);
}

// --- admission ----------------------------------------------------------------------------------

bool ScheduleReplayer::admits(const Alternative& alternative) {
  if (!detail::is_step(alternative)) return true;  // `choose` picks it
  if (!follows()) return leaves_to_fallback();
  const ScheduleEntry& wanted = schedule_.entries[wanted_index()];
  if (wanted.type != ScheduleEntry::Type::step || alternative.id != wanted.id) return false;
  if (alternative.kind == wanted.operation && alternative.object == wanted.object()) return true;
  // The operation itself and its deadline have one id: then the other one is meant.
  const bool is_other =
      !detail::is_task_step(alternative.kind) || !detail::is_task_step(wanted.operation);
  if (is_other && alternative.kind != wanted.operation) return false;
  part(describe(alternative.id, alternative.kind, alternative.object), nullptr,
       alternative.id.task);
  return leaves_to_fallback();
}

void ScheduleReplayer::took(const Alternative& alternative) {
  if (!follows()) {
    ++steps_beyond_;
    return;
  }
  const ScheduleEntry& wanted = schedule_.entries[wanted_index()];
  if (ScheduleEntry::step(alternative) == wanted) {
    next_ = wanted_index() + 1;
  } else {
    part(describe(alternative.id, alternative.kind, alternative.object), nullptr,
         alternative.id.task);
  }
}

bool ScheduleReplayer::gives_way(const PendingOperations& pending) {
  if (!follows()) return false;
  part_at_pending(pending);
  return mode_ == ReplayMode::best_effort;
}

// --- answers ------------------------------------------------------------------------------------

Decision ScheduleReplayer::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step) return choose_step(point);
  if (!follows()) {
    if (!leaves_to_fallback()) return Decision::abandon();
    return fallback_.choose(point);
  }
  const ScheduleEntry& wanted = schedule_.entries[wanted_index()];
  const bool fits = wanted.type == ScheduleEntry::Type::choice && wanted.choice == point.kind &&
                    wanted.id == point.asker;
  const auto found = std::ranges::find(point.alternatives, wanted.chosen(), &Alternative::id);
  if (fits && found != point.alternatives.end()) {
    next_ = wanted_index() + 1;
    return Decision::take(static_cast<std::size_t>(found - point.alternatives.begin()));
  }
  part(fmt::format("a question which {} {}", name(point.kind),
                   fits ? "without that answer" : "to take, for " + names_->task(point.asker.task)),
       &point.pending, point.asker.task);
  return leaves_to_fallback() ? fallback_.choose(point) : Decision::abandon();
}

Decision ScheduleReplayer::choose_step(const ChoicePoint& point) {
  if (leaves_to_fallback()) return fallback_.choose(point);
  // Alternatives that were admitted before the schedule was used up stay; the wanted one is first.
  if (follows()) {
    const auto wanted =
        std::ranges::find_if(point.alternatives, [this](const Alternative& alternative) {
          return ScheduleEntry::step(alternative) == schedule_.entries[wanted_index()];
        });
    if (wanted != point.alternatives.end()) {
      return Decision::take(static_cast<std::size_t>(wanted - point.alternatives.begin()));
    }
  }
  return Decision::abandon();
}

/// A delay by chance is not part of what a run is: the network of the replay may ask for one where
/// the log has none, or for none where it has one.
std::uint64_t ScheduleReplayer::choose_jitter(const ValueQuestion& question) {
  if (parted_ || next_ == schedule_.entries.size()) {
    return leaves_to_fallback() ? fallback_.choose_value(question) : question.low;
  }
  const ScheduleEntry& logged = schedule_.entries[next_];
  if (!is_jitter(logged) || logged.id != question.asker) return question.low;
  ++next_;
  return std::clamp(logged.value(), question.low, question.high);
}

/// The date that was read then; of a schedule without any, whose maker kept none, what it is.
std::uint64_t ScheduleReplayer::choose_clock(const ValueQuestion& question) {
  if (follows()) {
    const std::size_t index = wanted_index();
    const ScheduleEntry& wanted = schedule_.entries[index];
    if (wanted.answers(question)) {
      const bool is_last = repeats_ == wanted.repeats;
      repeats_ = is_last ? 0 : repeats_ + 1;
      if (is_last) next_ = index + 1;
      return wanted.value();
    }
    if (!keeps_clocks_) return question.low;
    part(fmt::format("a look at the clock by {}", names_->task(question.asker.task)), nullptr,
         question.asker.task);
  }
  return leaves_to_fallback() ? fallback_.choose_value(question) : question.low;
}

std::uint64_t ScheduleReplayer::choose_value(const ValueQuestion& question) {
  if (question.kind == ChoiceKind::jitter) return choose_jitter(question);
  if (question.kind == ChoiceKind::clock) return choose_clock(question);
  if (follows()) {
    const ScheduleEntry& wanted = schedule_.entries[wanted_index()];
    if (wanted.answers(question)) {
      next_ = wanted_index() + 1;
      return wanted.value();
    }
    if (question.kind == ChoiceKind::fault) return question.low;  // it did not strike
    part(fmt::format("a draw by {} between {} and {}", names_->task(question.asker.task),
                     question.low, question.high),
         nullptr, question.asker.task);
  }
  return leaves_to_fallback() ? fallback_.choose_value(question) : question.low;
}

// --- partings -----------------------------------------------------------------------------------

std::string ScheduleReplayer::describe(OperationId id, OperationKind kind, ObjectId object) const {
  std::string text =
      fmt::format("operation {} of {}, {}", id.number, names_->task(id.task), name(kind));
  if (object != ObjectId{}) text += fmt::format(" on {}", names_->object(object));
  return text;
}

std::string ScheduleReplayer::expected() const {
  const ScheduleEntry& wanted = schedule_.entries[wanted_index()];
  switch (wanted.type) {
    case ScheduleEntry::Type::step: return describe(wanted.id, wanted.operation, wanted.object());
    case ScheduleEntry::Type::choice:
      return fmt::format("a question which {} to take, for {}, answered with operation {} of {}",
                         name(wanted.choice), names_->task(wanted.id.task), wanted.chosen().number,
                         names_->task(wanted.chosen().task));
    case ScheduleEntry::Type::value:
      if (wanted.is_clock()) {
        return fmt::format("a look at the clock by {}", names_->task(wanted.id.task));
      }
      return fmt::format("a draw by {}, answered with {}", names_->task(wanted.id.task),
                         wanted.value());
  }
  return {};
}

void ScheduleReplayer::part(std::string came, const PendingOperations* pending, TaskId task) {
  parted_.emplace();
  parted_->entry = wanted_index();
  parted_->message =
      fmt::format("the program parts from its log at entry {} of {}: expected {}; came {}",
                  wanted_index() + 1, schedule_.entries.size(), expected(), came);
  parted_->where.task = names_->task(task);
  parted_->where.role = "came instead";
  unplaced_ = task;
  if (pending != nullptr) part_at_pending(*pending);
}

void ScheduleReplayer::part_at_pending(const PendingOperations& pending) {
  if (!parted_) {
    const TaskId task = schedule_.entries[wanted_index()].id.task;
    if (task.value >= pending.task_count()) {
      part("nothing: there is no such task", nullptr, task);
    } else if (pending.state(task) == TaskState::ended) {
      part(fmt::format("nothing: {} has ended", names_->task(task)), nullptr, task);
    } else {
      const Operation& operation = pending.operation(task);
      const bool waits = pending.state(task) == TaskState::disabled;
      part(describe(pending.id(task), operation.kind, operation.object) +
               (waits ? ", which cannot go on" : ""),
           nullptr, task);
    }
  }
  if (!unplaced_ || unplaced_->value >= pending.task_count()) return;
  const TaskId task = *std::exchange(unplaced_, std::nullopt);
  const Operation& operation = pending.operation(task);
  if (operation.where == nullptr || pending.state(task) == TaskState::ended) return;
  const FindingPlace place = names_->place(*operation.where);
  parted_->where.file = place.file;
  parted_->where.line = place.line;
  parted_->where.function = place.function;
}

std::string ScheduleReplayer::explain_divergence(const PendingOperations& pending) {
  if (mode_ == ReplayMode::best_effort || (!parted_ && is_used_up())) return {};
  part_at_pending(pending);
  return parted_->message;
}

void ScheduleReplayer::end_run(const Outcome& outcome) {
  // What the wall clock cuts off, or somebody who pauses the run, is no parting.
  const bool was_cut = outcome.limit != Limit::none || outcome.status == Outcome::Status::abandoned;
  if (follows() && !was_cut) {
    part(outcome.findings.empty() ? "the end of the program"
                                  : "the end of the run: " + outcome.findings.front().message,
         nullptr, schedule_.entries[wanted_index()].id.task);
    if (!outcome.findings.empty() && !outcome.findings.front().where.empty()) {
      parted_->where = outcome.findings.front().where.front();
    }
  }
  fallback_.end_run(outcome);
}

Outcome ScheduleReplayer::judge(Outcome outcome) const {
  return detail::judge_replay(std::move(outcome), parted_, mode_);
}

}  // namespace orrery
