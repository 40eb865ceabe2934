// How a run ends otherwise than well, in words.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/outside.hpp>

#include "expected_output.hpp"
#include "machine.hpp"
#include "place_resolver.hpp"

namespace orrery::detail {
namespace {

// Whoever gets messages may count them: only a program that asks in vain is known to go in circles.
bool gets_a_message(const StepRing::Step& step) {
  return step.kind == OperationKind::receive || step.kind == OperationKind::wait ||
         step.kind == OperationKind::select;
}

}  // namespace

// --- ending -----------------------------------------------------------------------------------

void Machine::stop(Outcome::Status status) {
  if (over_) return;
  over_ = true;
  attention_step_ = 0;  // the running task goes no further than to its next operation
  outcome_.status = status;
  if (outside_ != nullptr) outside_->is_over(outcome_);
}

void Machine::stop_at_limit(Limit limit) {
  if (report_livelock()) return;
  outcome_.limit = limit;
  if (const Task& last = *last_ran_; !last.has_ended()) {
    const Operation& operation = *last.pending;
    outcome_.spins_at =
        place_on_stack(operation.where != nullptr ? *operation.where : SourceLocation{}, last,
                       fmt::format("ran last, and was at {}", name(operation.kind)));
  }
  stop(Outcome::Status::limit);
}

void Machine::note(Finding finding) {
  orrery_finding(name(finding.kind).data(), finding.message.c_str());
  outcome_.findings.push_back(std::move(finding));
}

void Machine::note_once(Finding finding) {
  if (over_ || unwinding_) return;
  const auto is_same = [&](const Finding& one) { return one.is_same_as(finding); };
  if (std::ranges::any_of(outcome_.findings, is_same)) return;
  note(std::move(finding));
}

void Machine::record(Finding finding) {
  // The first finding ends the run; what comes after it, or of a crash, is the aftermath.
  if (over_ || unwinding_) return;
  note(std::move(finding));
  stop(Outcome::Status::finding);
}

void Machine::fail_with(std::exception_ptr mistake) {
  if (!over_) escaped_ = std::move(mistake);
  stop(Outcome::Status::abandoned);
  if (!unwinding_) switch_from(running_, nullptr);  // the host comes back to unwind
  leave_task();
}

void Machine::fail(Finding finding) {
  record(std::move(finding));
  if (running_ == nullptr) return;
  if (!unwinding_) switch_from(running_, nullptr);  // the host comes back to unwind
  if (running_->unwinding == Unwinding::abandon || std::uncaught_exceptions() == 0) leave_task();
}

void Machine::fail_here(Finding finding, const SourceLocation& where, std::string role) {
  if (running_ == nullptr) return;
  if (!over_) finding.where.push_back(place_on_stack(where, *running_, std::move(role)));
  fail(std::move(finding));
}

namespace {

/// Whoever sleeps might wake by itself: that it must not is no reason why nothing goes on.
bool withholds_steps(const Agenda& agenda) {
  return std::ranges::any_of(agenda.withheld(), [](const Actor* actor) {
    const bool is_asleep = actor->type == Actor::Type::operation &&
                           actor->task->waits_on != nullptr &&
                           actor->task->pending->kind == OperationKind::condition_wait;
    return !is_asleep;
  });
}

}  // namespace

/// Nobody can go on.  False: who is withheld may come now.
bool Machine::has_nothing_to_come() {
  if (constraint_ != nullptr && constraint_->gives_way(*this)) {
    messages_->readmit();
    agenda_.readmit(now_);
    return false;
  }
  report_end();
  return true;
}

void Machine::report_end() {
  if (withholds_steps(agenda_) || withholds_messages()) return report_divergence();
  // Those that work for a front end wait for more to do, and nobody waits for their end.
  std::size_t still_there = tasks_alive_;
  for (std::size_t i = 0; still_there > 0 && i < tasks_used_; ++i) {
    if (tasks_[i].is_helper && !tasks_[i].has_ended()) --still_there;
  }
  if (still_there == 0) {
    report_leaks();
    report_output();
    return stop(outcome_.findings.empty() ? Outcome::Status::clean : Outcome::Status::finding);
  }
  if (constraint_ != nullptr) {
    // A replay whose next step cannot come is a divergence even if nothing is withheld.
    const std::string expected = constraint_->explain_divergence(*this);
    if (!expected.empty()) return report_divergence();
  }
  report_deadlock();
}

bool Machine::withholds_messages() const {
  if (constraint_ == nullptr) return false;
  if (messages_->has_withheld()) return true;
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    const Task& task = tasks_[i];
    const OperationKind kind = task.pending->kind;
    const bool takes_a_message = kind == OperationKind::receive || kind == OperationKind::probe;
    if (task.state == TaskState::disabled && takes_a_message &&
        messages_->has_candidates(processes_[task.process.value].rank, *task.pending)) {
      return true;
    }
  }
  return false;
}

// --- findings ---------------------------------------------------------------------------------

void Machine::report_divergence() {
  std::string message = constraint_->explain_divergence(*this);
  if (message.empty()) message = "everything is withheld and nothing is to come";
  std::vector<FindingPlace> places;
  for (const Actor* const actor : agenda_.withheld()) {
    const Task& task = tasks_[actor->alternative.id.task.value];
    if (actor->type > Actor::Type::deadline || task.pending->where == nullptr) continue;
    places.push_back(
        place_of(*task.pending->where, task.id, fmt::format("would {}", name(task.pending->kind))));
  }
  record(FindingKind::divergence, std::move(message), std::move(places));
}

bool Machine::report_livelock() {
  if (over_) return true;
  const auto cycles = ring_.cycles();
  if (cycles.empty() || std::ranges::any_of(cycles, gets_a_message)) return false;
  std::vector<FindingPlace> places;
  std::string message = "no progress: ";
  TaskId last = no_task;
  for (const auto& step : cycles) {
    const auto what = fmt::format("{} {}", name(step.kind), object(step.object));
    places.push_back(place_of(step.where, step.task, "repeats " + what));
    message += step.task == last
                   ? ", "
                   : fmt::format("{}{} repeats ", last == no_task ? "" : "; ", task(step.task));
    message += what;
    last = step.task;
  }
  record(FindingKind::livelock, std::move(message), std::move(places));
  return true;
}

void Machine::report_held(const Task& task) {
  if (task.unwinding == Unwinding::abandon) return;  // POSIX allows it
  for (const auto* const object : task.held) {
    std::vector<FindingPlace> places;
    for (const auto& holder : object->holders()) {
      if (holder.task == task.id) places.push_back(place_of(holder.where, task.id, "locked here"));
    }
    record(
        FindingKind::leak,
        fmt::format("{} ended while holding {}", this->task(task.id), this->object(object->id())),
        std::move(places));
  }
}

void Machine::report_leaks() {
  messages_->for_each_active([this](const RequestState& request) {
    if (request.is_known) return;  // only its payload was not asked for
    const auto owner = fmt::format("rank {}", request.owner);
    auto place = this->place(request.started_at);
    place.task = owner;
    place.role = "started here";
    const char* const what = request.is_receive ? "receive" : "send";
    const char* const state = request.complete ? "was never waited for" : "was never completed";
    note({FindingKind::leak,
          fmt::format("a non-blocking {} of {} {}", what, owner, state),
          {std::move(place)}});
  });
}

void Machine::report_output() {
  if (!options_.expected_output) return;
  std::string difference = first_difference(*options_.expected_output, standard_output_);
  if (!difference.empty()) note({FindingKind::property, std::move(difference), {}});
}

// --- names ------------------------------------------------------------------------------------

FindingPlace Machine::place_of(const SourceLocation& where, TaskId task, std::string role) const {
  FindingPlace result = place(where);
  result.task = this->task(task);
  result.role = std::move(role);
  return result;
}

FindingPlace Machine::place(const SourceLocation& where) const {
  FindingPlace result;
  // A line of the standard library's (a guard's) says nothing: look who called it.
  const bool is_known = where.file != nullptr && !is_library_file(where.file);
  if (!is_known && where.program_counter != 0) result = resolve_place(where.program_counter);
  if (!result.file.empty() || where.file == nullptr) return result;
  result.file = where.file;
  result.line = where.line;
  result.function = where.function != nullptr ? where.function : "";
  return result;
}

std::string Machine::task(TaskId id) const {
  if (id.value >= tasks_used_) return fmt::format("task {}", id.value);
  const Task& task = tasks_[id.value];
  if (!task.name.empty()) return task.name;
  if (task.start_function == 0) return fmt::format("task {}", id.value);
  if (task.start_name.empty()) {
    task.start_name =
        fmt::format("{}#{}", resolve_thread_name(task.start_function), task.start_number);
  }
  return task.start_name;
}

ProcessId Machine::process(TaskId id) const {
  return id.value < tasks_used_ ? tasks_[id.value].process : ProcessId{};
}

std::string_view Machine::answer(std::uint64_t value) const {
  return value < left_open_answers_.size() ? left_open_answers_[value] : "";
}

std::string_view Machine::call_here(const SourceLocation& where) const {
  const OrreryWaitTeller teller = messages_->wait_teller();
  if (teller == nullptr || running_ == nullptr || where.program_counter == 0) return {};
  OrreryWait wait{};
  wait.rank = processes_[running_->process.value].rank;
  wait.pc = where.program_counter;
  teller(&wait);
  return wait.function == nullptr ? std::string_view() : wait.function;
}

void Machine::name_after(Task& task, std::uintptr_t function) {
  task.start_function = function;
  task.start_number = ++starts_[function];
}

void Machine::describe(const Task& task, TaskLabel& label) {
  label.task = task.id.value;
  label.start_function = task.start_function;
  label.start_number = task.start_number;
  const std::size_t count = std::min(task.name.size(), label.name.size() - 1);
  std::memcpy(label.name.data(), task.name.data(), count);
  label.name[count] = '\0';
}

void Machine::leave_progress() {
  if (progress_ == nullptr || running_ == nullptr) return;
  progress_->steps = step_;
  progress_->now = now_;
  if (progress_->running.task != running_->id.value) describe(*running_, progress_->running);
}

const ObjectName* Machine::find_name(ObjectId id) const {
  const auto found = std::ranges::find(object_names_, id, &ObjectName::id);
  return found == object_names_.end() ? nullptr : &*found;
}

std::string Machine::object(ObjectId id) const {
  for (std::size_t rank = 0; rank + 1 < processes_.size(); ++rank) {
    if (messages_->mailbox(static_cast<std::int32_t>(rank)).id() == id) {
      return fmt::format("mailbox of rank {}", rank);
    }
  }
  const ObjectName* const found = find_name(id);
  if (found == nullptr) return fmt::format("object {}.{}", id.creator.value, id.number);
  if (id.creator == no_task) return found->type;
  if (found->name_bytes == 0) {
    const std::string variable = found->address != 0 ? resolve_variable(found->address) : "";
    if (!variable.empty()) return fmt::format("{} {}", found->type, variable);
    return fmt::format("{} {}.{}", found->type, id.creator.value, id.number);
  }
  return fmt::format("{} {}", found->type,
                     std::string_view(name_text_).substr(found->name_offset, found->name_bytes));
}

void Machine::write(int stream, std::string_view text, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::output;
  operation.value = text.size();
  operation.where = &where;
  if (running_ == nullptr || over_) return;
  outcome_.output += text;
  if (stream == 1 && options_.expected_output) standard_output_ += text;
  if (output_sink) output_sink(running_->id, stream, text);
  if (wants(OperationKind::output)) {
    told(operation, {}, payload_hash(std::as_bytes(std::span(text.data(), text.size()))));
  }
}

}  // namespace orrery::detail
