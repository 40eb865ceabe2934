#include "timeline.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace orrery {
namespace {

constexpr std::size_t lanes_max = 12;  // more would push the text off the screen
constexpr std::size_t no_lane = static_cast<std::size_t>(-1);
constexpr std::string_view network_lane = "network";
constexpr std::uint32_t network_order = 0xffffffffU;

constexpr const char* red = "31";
constexpr const char* yellow = "33";
constexpr const char* dim = "2";

// Directories differ from machine to machine; a finding's own places give them.
std::string place_text(const FindingPlace& place) {
  if (place.file.empty()) return {};
  return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
}

bool continues(const Alternative& taken, TaskId last) {
  return taken.id.task == last && !is_machine_step(taken.kind) &&
         taken.kind != OperationKind::timeout;
}

}  // namespace

void Timeline::begin_run(const RunInfo& info) {
  names_ = info.names;
  pending_ = info.pending;
  lanes_.clear();
  first_.clear();
  last_.clear();
  between_.clear();
  left_out_ = lines_ = 0;
  follows_mark_ = false;
  last_time_ = {};
  last_ran_ = {};
  was_asked_ = false;
  outcome_.reset();
}

std::size_t Timeline::lane(const Event& event) {
  const bool is_network = is_machine_step(event.kind);
  const std::uint32_t order = is_network ? network_order : event.id.task.value;
  const auto found = std::ranges::find(lanes_, order, &Lane::order);
  const auto index = static_cast<std::size_t>(found - lanes_.begin());
  if (found != lanes_.end()) return index;
  Lane added{order, is_network ? std::string(network_lane) : names_->task(event.id.task), 0};
  for (Lane& lane : lanes_) {
    (lane.order < order ? added.column : lane.column) += 1;
  }
  lanes_.push_back(std::move(added));
  return index;
}

void Timeline::add(Line line) {
  ++lines_;
  last_time_ = line.time;
  const std::size_t half = std::max<std::size_t>(1, options_.lines_max / 2);
  if (first_.size() < half) {
    first_.push_back(std::move(line));
    return;
  }
  last_.push_back(std::move(line));
  if (last_.size() <= half) return;
  leave_out(std::move(last_.front()));
  last_.pop_front();
}

void Timeline::leave_out(Line line) {
  const bool is_wanted = line.is_mark || follows_mark_;
  follows_mark_ = line.is_mark;
  if (is_wanted && between_.size() < options_.lines_max / 4) {
    between_.push_back({std::exchange(left_out_, 0), std::move(line)});
  } else {
    ++left_out_;
  }
}

void Timeline::mark(VirtualTime time, std::string text, std::vector<TaskId> tasks,
                    std::string place) {
  add({time, no_lane, true, std::move(text), std::move(place), {}, std::move(tasks)});
}

void Timeline::on_event(const Event& event) {
  std::string place;
  if (event.where != nullptr) place = place_text(names_->place(*event.where));
  std::optional<Event> spawn;
  if (event.kind == OperationKind::spawn) spawn = event;
  add({event.time, lane(event), false, words(event, *names_), std::move(place), spawn, {}});
}

// Threads get their names when they run: those who started them did not know.
void Timeline::name_late() {
  for (Lane& lane : lanes_) {
    if (lane.order != network_order) lane.name = names_->task(TaskId{lane.order});
  }
  const auto name = [this](Line& line) {
    if (line.spawn) line.words = words(*line.spawn, *names_);
    for (const TaskId task : line.tasks) {
      line.words.replace(line.words.find("{}"), 2, names_->task(task));
    }
    line.tasks.clear();
  };
  std::ranges::for_each(first_, name);
  std::ranges::for_each(between_, name, &Between::line);
  std::ranges::for_each(last_, name);
}

/// Who waits at a condition variable, and might wake unnotified, has given up its turn by itself.
bool Timeline::can_go_on(TaskId task, VirtualTime now) const {
  return pending_->state(task) == TaskState::enabled && pending_->ready_date(task) <= now &&
         pending_->operation(task).kind != OperationKind::condition_wait;
}

/// Whoever replays a log may have admitted nothing but this step.
void Timeline::on_step(const Alternative& taken) {
  const bool was_asked = std::exchange(was_asked_, false);
  const bool is_of_task = !is_machine_step(taken.kind);
  const TaskId last = last_ran_;
  if (is_of_task) last_ran_ = taken.id.task;
  if (was_asked || continues(taken, last)) return;
  const VirtualTime date = is_of_task ? pending_->ready_date(taken.id.task) : last_time_;
  const VirtualTime now = std::max(last_time_, date);
  if (can_go_on(last, now)) mark_step(taken, last_time_, last, /*last_can_go_on=*/true);
}

void Timeline::mark_step(const Alternative& taken, VirtualTime now, TaskId last,
                         bool last_can_go_on) {
  const TaskId task = taken.id.task;
  if (taken.kind == OperationKind::recover) {
    return mark(now, "what failed at {} recovers first", {task});
  }
  if (is_machine_step(taken.kind)) return mark(now, "a message of {} arrives first", {task});
  if (taken.kind == OperationKind::timeout) {
    return mark(now, "the deadline of {} comes first", {task});
  }
  if (!last_can_go_on) return mark(now, "{} goes first", {task});
  std::string place;
  const SourceLocation* const where = pending_->operation(last).where;
  if (where != nullptr) place = place_text(names_->place(*where));
  mark(now, "{} is interrupted: {} goes first", {last, task}, std::move(place));
}

void Timeline::on_choice(const ChoicePoint& point, std::size_t index) {
  const bool is_usual = index == point.default_index();
  const Alternative& taken = point.alternatives[index];
  const TaskId task = taken.id.task;
  if (point.kind == ChoiceKind::step) {
    was_asked_ = true;
    // Whoever ran last may be withheld, and the question be about the others.
    const bool last_can_go_on = point.current_is_enabled || can_go_on(point.current, point.now);
    if (last_can_go_on ? continues(taken, point.current) : is_usual) return;
    return mark_step(taken, point.now, point.current, last_can_go_on);
  }
  if (is_usual) return;
  switch (point.kind) {
    case ChoiceKind::message:
      return mark(point.now, "{} takes the message of {}, which is not the oldest",
                  {point.asker.task, task});
    case ChoiceKind::waiter:
      return mark(point.now, "{} is woken, who is not the first to wait", {task});
    default:
      return mark(point.now,
                  fmt::format("another answer than usual: {} for {{}}", name(point.kind)),
                  {point.asker.task});
  }
}

void Timeline::on_value(const ValueQuestion& question, std::uint64_t answer) {
  const std::string_view words = names_->answer(answer);
  if (answer != question.low && !words.empty()) {
    const bool names_who = words.find("{}") != std::string_view::npos;
    mark(last_time_, std::string(words),
         names_who ? std::vector{question.asker.task} : std::vector<TaskId>{});
    return;
  }
  // Other draws are events, and so are faults; inputs are no answers.
  const bool is_event = question.kind == ChoiceKind::value || question.kind == ChoiceKind::fault ||
                        is_input(question.kind);
  if (answer == question.low || is_event) return;
  mark(last_time_, fmt::format("{} for {{}}: {}", name(question.kind), answer),
       {question.asker.task});
}

void Timeline::end_run(const Outcome& outcome) {
  outcome_ = outcome;
  outcome_->output.clear();
  name_late();
}

// --- text ---------------------------------------------------------------------------------------

std::string Timeline::colored(std::string text, const char* code) const {
  return options_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string Timeline::lanes_text(const Line& line) const {
  if (lanes_.size() > lanes_max) return {};
  std::string text;
  for (std::size_t i = 0; i < lanes_.size(); ++i) text += "| ";
  if (!line.is_mark) text[2 * lanes_[line.lane].column] = '*';
  return text + ' ';
}

std::string Timeline::heading() const {
  if (lanes_.empty() || lanes_.size() > lanes_max) return {};
  std::vector<std::string_view> names(lanes_.size());
  for (const Lane& lane : lanes_) names[lane.column] = lane.name;
  std::string text = "columns:";
  for (const std::string_view name : names) text += fmt::format(" {},", name);
  text.back() = '\n';
  return text;
}

void Timeline::append_line(std::string& text, const Line& line) const {
  constexpr std::size_t place_column = 44;
  const std::int64_t ns = line.time.nanoseconds();
  std::string row = fmt::format("{:>9}.{:03} us  {}", ns / 1000, ns % 1000, lanes_text(line));
  std::size_t width = 0;
  for (const Lane& lane : lanes_) width = std::max(width, lane.name.size());
  width = std::min<std::size_t>(width, 24);
  const std::string words =
      line.is_mark ? ">> " + line.words
                   : fmt::format("{:<{}}  {}", lanes_[line.lane].name, width, line.words);
  const std::string place = line.place.empty() ? std::string() : "  " + colored(line.place, dim);
  const std::size_t padding = place.empty() ? 0 : width + 2 + place_column;
  const std::string padded = fmt::format("{:<{}}", words, padding);
  row += (line.is_mark ? colored(padded, yellow) : padded) + place;
  text += row + '\n';
}

void Timeline::append_end(std::string& text) const {
  if (!outcome_) return;
  for (const Finding& finding : outcome_->findings) {
    text += colored(fmt::format("{}: {}", name(finding.kind), finding.message), red) + '\n';
    for (const FindingPlace& place : finding.where) {
      std::string at = place_text(place);
      if (at.empty()) at = "unknown place";
      text +=
          fmt::format("  {}  {}{}{}\n", at, place.task, place.role.empty() ? "" : ": ", place.role);
    }
  }
  if (outcome_->status == Outcome::Status::limit) {
    text += fmt::format("stopped by the limit of {}\n", name(outcome_->limit));
  }
}

std::string Timeline::text() const {
  // A run that dies has no end of its own.
  const bool is_under_way = names_ != nullptr && !outcome_;
  if (!is_under_way) return named_text();
  Timeline so_far = *this;
  so_far.name_late();
  return so_far.named_text();
}

std::string Timeline::named_text() const {
  std::string result = heading();
  for (const Line& line : first_) append_line(result, line);
  const auto say_left_out = [&result](std::uint64_t count) {
    if (count != 0) result += fmt::format("          ... {} lines are left out ...\n", count);
  };
  for (const auto& [left_out, line] : between_) {
    say_left_out(left_out);
    append_line(result, line);
  }
  say_left_out(left_out_);
  for (const Line& line : last_) append_line(result, line);
  append_end(result);
  return result;
}

}  // namespace orrery
