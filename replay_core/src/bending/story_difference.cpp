#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/run_story.hpp>

#include "operation_places.hpp"

namespace orrery {
namespace {

using Events = std::vector<const StoryEvent*>;

/// What a task has done, and written.
struct TaskStory {
  Events events;
  std::string text;
};

std::vector<TaskStory> by_task(const RunStory& story, std::string_view written) {
  std::vector<TaskStory> tasks(story.tasks.size());
  for (const StoryEvent& event : story.events) {
    TaskStory& task = tasks[event.id.task.value];
    if (event.kind != OperationKind::output) {
      task.events.push_back(&event);
      continue;
    }
    const auto size = std::min<std::size_t>(event.size_bytes, written.size());
    task.text += written.substr(0, size);
    written.remove_prefix(size);
  }
  return tasks;
}

bool is_receipt(const StoryEvent& event) {
  switch (event.kind) {
    case OperationKind::receive:
    case OperationKind::wait:
    case OperationKind::select:
    case OperationKind::test: return event.peer >= 0;
    case OperationKind::probe:
    case OperationKind::try_probe: return true;
    default: return false;
  }
}

bool has_value(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::write ||
         kind == OperationKind::read_modify_write || kind == OperationKind::random;
}

/// The sends of a run, for those who receive their messages.
class Sends {
 public:
  explicit Sends(const RunStory& story) : story_(story) {
    for (const StoryEvent& event : story.events) {
      if (event.kind == OperationKind::send) sends_.emplace(event.id, &event);
    }
  }
  /// `4 bytes of rank 1, tag 7 (MPI_Send, app.c:12)`
  [[nodiscard]] std::string text_of(const StoryEvent& receipt) const {
    const auto found = sends_.find(receipt.matched);
    if (found == sends_.end()) {
      return fmt::format("{} bytes of rank {}, tag {}", receipt.size_bytes, receipt.peer,
                         receipt.tag);
    }
    const StoryEvent& sent = *found->second;
    const std::string line = detail::line_text(story_.places[sent.place]);
    const std::string& call = story_.calls[sent.call];
    return fmt::format("{} bytes of {}, tag {} ({}{}{})", sent.size_bytes,
                       story_.tasks[sent.id.task.value], sent.tag,
                       call.empty() ? name(sent.kind) : call, line.empty() ? "" : ", ", line);
  }
  /// What tells a message from others: who sent it, and what is in it.
  [[nodiscard]] auto key_of(const StoryEvent& receipt) const {
    const auto found = sends_.find(receipt.matched);
    const StoryEvent& about = found == sends_.end() ? receipt : *found->second;
    const std::int32_t sender =
        found == sends_.end() ? about.peer : static_cast<std::int32_t>(about.id.task.value);
    return std::tuple(sender, about.tag, about.size_bytes, about.content);
  }

 private:
  const RunStory& story_;
  std::map<OperationId, const StoryEvent*> sends_;
};

class Comparison {
 public:
  Comparison(const RunStory& was, const RunStory& now)
      : was_(was), now_(now), was_sends_(was), now_sends_(now) {
    for (const FindingPlace& place : now.places) {
      now_lines_.emplace_back(place.file, place.line, place.function);
    }
    for (const FindingPlace& place : was.places) {
      was_lines_.emplace_back(place.file, place.line, place.function);
    }
  }

  void compare(const TaskStory& was, const TaskStory& now, StoryDifference& difference) const;

 private:
  using Line = std::tuple<std::string, std::uint32_t, std::string>;
  using Changes = std::map<std::pair<Line, StoryChange::Kind>, StoryChange>;

  [[nodiscard]] bool is_same_act(const StoryEvent& was, const StoryEvent& now) const {
    return was.kind == now.kind && was.timed_out == now.timed_out &&
           was_.calls[was.call] == now_.calls[now.call] &&
           was_lines_[was.place] == now_lines_[now.place];
  }
  [[nodiscard]] static StoryStep step_of(const RunStory& story, const StoryEvent& event);
  void note_change(const StoryEvent& was, const StoryEvent& now, Changes& changes) const;
  static std::vector<std::string> lines_from(const RunStory& story, const Events& events,
                                             std::size_t first);

  const RunStory& was_;
  const RunStory& now_;
  Sends was_sends_;
  Sends now_sends_;
  std::vector<Line> was_lines_;  // by place
  std::vector<Line> now_lines_;
};

StoryStep Comparison::step_of(const RunStory& story, const StoryEvent& event) {
  StoryStep step;
  step.operation = detail::number_text(event.id);
  step.call =
      story.calls[event.call].empty() ? std::string(name(event.kind)) : story.calls[event.call];
  step.place = story.places[event.place];
  step.place.task = story.tasks[event.id.task.value];
  return step;
}

void Comparison::note_change(const StoryEvent& was, const StoryEvent& now, Changes& changes) const {
  StoryChange change;
  if (is_receipt(was) && is_receipt(now)) {
    if (was_sends_.key_of(was) == now_sends_.key_of(now)) return;
    change.was = was_sends_.text_of(was);
    change.now = now_sends_.text_of(now);
  } else if (now.kind == OperationKind::send) {
    const auto key = [](const StoryEvent& sent) {
      return std::tuple(sent.peer, sent.tag, sent.size_bytes, sent.content);
    };
    if (key(was) == key(now)) return;
    const auto sent_text = [](const StoryEvent& sent) {
      return fmt::format("{} bytes to rank {}, tag {}", sent.size_bytes, sent.peer, sent.tag);
    };
    change.kind = StoryChange::Kind::sent;
    change.was = sent_text(was);
    change.now = sent_text(now);
  } else if (has_value(now.kind)) {
    if (was.content == now.content) return;
    change.kind = StoryChange::Kind::value;
    change.was = fmt::format("{}", was.content);
    change.now = fmt::format("{}", now.content);
  } else {
    return;
  }
  if (change.was == change.now) change.now = "other bytes";
  const auto [found, is_new] = changes.try_emplace({now_lines_[now.place], change.kind});
  if (is_new) {
    change.step = step_of(now_, now);
    found->second = std::move(change);
  }
  ++found->second.count;
}

std::vector<std::string> Comparison::lines_from(const RunStory& story, const Events& events,
                                                std::size_t first) {
  std::vector<std::string> lines;
  std::set<std::uint32_t> seen;
  for (std::size_t i = first; i < events.size(); ++i) {
    if (!seen.insert(events[i]->place).second) continue;
    std::string line = detail::line_text(story.places[events[i]->place]);
    if (!line.empty() && std::ranges::find(lines, line) == lines.end()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

void Comparison::compare(const TaskStory& was, const TaskStory& now,
                         StoryDifference& difference) const {
  const std::size_t both = std::min(was.events.size(), now.events.size());
  Changes changes;
  std::size_t at = 0;
  for (; at < both && is_same_act(*was.events[at], *now.events[at]); ++at) {
    note_change(*was.events[at], *now.events[at], changes);
  }
  for (auto& [where, change] : changes) difference.changes.push_back(std::move(change));
  if (at == was.events.size() && at == now.events.size()) return;
  if (at == now.events.size()) {
    difference.stopped.push_back(step_of(was_, *was.events[at]));
    return;
  }
  if (at == was.events.size()) {
    difference.further.push_back(step_of(now_, *now.events[at]));
    return;
  }
  StoryBranch branch;
  branch.was = step_of(was_, *was.events[at]);
  branch.now = step_of(now_, *now.events[at]);
  const std::vector<std::string> old_lines = lines_from(was_, was.events, at);
  const std::vector<std::string> new_lines = lines_from(now_, now.events, at);
  const auto add_missing = [](const std::vector<std::string>& from,
                              const std::vector<std::string>& in, std::vector<std::string>& to) {
    for (const std::string& line : from) {
      if (std::ranges::find(in, line) == in.end()) to.push_back(line);
    }
  };
  add_missing(old_lines, new_lines, branch.lines_gone);
  add_missing(new_lines, old_lines, branch.lines_new);
  difference.branches.push_back(std::move(branch));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void compare_texts(const std::string& task, std::string_view was, std::string_view now,
                   std::vector<StoryText>& texts) {
  if (was == now) return;
  const std::vector<std::string_view> old_lines = lines_of(was);
  const std::vector<std::string_view> new_lines = lines_of(now);
  const auto part = std::ranges::mismatch(old_lines, new_lines);
  StoryText text;
  text.task = task;
  text.line = static_cast<std::uint64_t>(part.in1 - old_lines.begin()) + 1;
  text.is_in_was = part.in1 != old_lines.end();
  text.is_in_now = part.in2 != new_lines.end();
  if (text.is_in_was) text.was = *part.in1;
  if (text.is_in_now) text.now = *part.in2;
  // Only a line feed at the end.
  if (text.is_in_was || text.is_in_now) texts.push_back(std::move(text));
}

}  // namespace

StoryDifference difference(const RunStory& was, std::string_view was_written, const RunStory& now,
                           std::string_view now_written) {
  const std::vector<TaskStory> old_tasks = by_task(was, was_written);
  const std::vector<TaskStory> new_tasks = by_task(now, now_written);
  const Comparison comparison(was, now);
  const TaskStory nothing;
  StoryDifference found;
  for (std::size_t i = 0; i < std::max(old_tasks.size(), new_tasks.size()); ++i) {
    const TaskStory& before = i < old_tasks.size() ? old_tasks[i] : nothing;
    const TaskStory& after = i < new_tasks.size() ? new_tasks[i] : nothing;
    comparison.compare(before, after, found);
    const std::string& name = i < now.tasks.size() ? now.tasks[i] : was.tasks[i];
    compare_texts(name, before.text, after.text, found.texts);
  }
  return found;
}

}  // namespace orrery
