#include "run_trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

constexpr std::size_t quoted_bytes_max = 60;

std::string quoted_line(const std::string& text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string line = text.substr(begin, end - begin);
  if (line.size() > quoted_bytes_max) line = line.substr(0, quoted_bytes_max) + "...";
  return line.empty() && begin >= text.size() ? "nothing" : fmt::format("\"{}\"", line);
}

std::size_t first_difference(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// That a run does, or does not do, to a file what another one does not, or does.
std::string done_text(const WrittenFile& file, bool is_done) {
  if (file.kind == WrittenFile::Kind::absent) {
    return fmt::format("{} {}", is_done ? "takes away" : "does not take away", file.path);
  }
  const char* const what = file.kind == WrittenFile::Kind::file ? "file" : "directory";
  return fmt::format("leaves {} {} {}", is_done ? "a" : "no", what, file.path);
}

std::string file_difference(const WrittenFile& here, const WrittenFile& there) {
  if (here.kind != there.kind) return done_text(there, true);
  const std::size_t offset = first_difference(here.beginning, there.beginning);
  const auto is_text = [](const std::string& content) {
    return std::ranges::all_of(content, [](const char one) {
      return static_cast<unsigned char>(one) >= ' ' || one == '\n' || one == '\t' || one == '\r';
    });
  };
  const bool is_beyond = here.beginning == there.beginning;
  if (is_beyond || !is_text(here.beginning) || !is_text(there.beginning)) {
    return fmt::format("leaves other bytes in {}{}", here.path,
                       is_beyond ? "" : fmt::format(", from byte {} on", offset));
  }
  const auto line = 1 + std::ranges::count(here.beginning.substr(0, offset), '\n');
  return fmt::format("leaves {} instead of {} in {}, line {}", quoted_line(there.beginning, offset),
                     quoted_line(here.beginning, offset), here.path, line);
}

bool is_among(const Finding& finding, const std::vector<Finding>& others) {
  return std::ranges::any_of(others, [&](const Finding& one) {
    return one.is_same_as(finding) && one.exit_code == finding.exit_code;
  });
}

}  // namespace

EventMask RunTrace::interest() {
  return EventMask::of(OperationKind::send) | EventMask::of(OperationKind::output) |
         EventMask::files();
}

void RunTrace::begin_run(const Names* names) {
  names_ = names;
  sent_.clear();
  written_.clear();
  texts_.clear();
  task_names_.clear();
  findings_.clear();
  files_.clear();
}

void RunTrace::on_event(const Event& event) {
  const SourceLocation where = event.where == nullptr ? SourceLocation{} : *event.where;
  if (event.kind == OperationKind::send) {
    sent_.push_back({event.id.task, event.payload_hash, event.size_bytes, event.tag, event.peer,
                     event.step, where});
  } else if (event.kind == OperationKind::output) {
    written_.push_back({event.id.task, event.size_bytes, event.step, where});
  }
}

void RunTrace::end_run(const Outcome& outcome) {
  findings_ = outcome.findings;
  files_ = outcome.files;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    Text& text = texts_[written_[i].task];
    text.text += std::string_view(outcome.output).substr(offset, written_[i].size_bytes);
    text.pieces.push_back(i);
    offset += written_[i].size_bytes;
  }
  for (const Sent& one : sent_) task_names_.try_emplace(one.task, names_->task(one.task));
  for (const Written& one : written_) task_names_.try_emplace(one.task, names_->task(one.task));
}

std::string RunTrace::name_of(TaskId task) const {
  const auto found = task_names_.find(task);
  return found == task_names_.end() ? fmt::format("task {}", task.value) : found->second;
}

FindingPlace RunTrace::place_of(const SourceLocation& where, TaskId task) const {
  FindingPlace place = names_->place(where);
  place.task = name_of(task);
  return place;
}

const RunTrace::Written* RunTrace::piece_at(const Text& text, std::size_t offset) const {
  for (const std::size_t number : text.pieces) {
    const Written& piece = written_[number];
    if (offset < piece.size_bytes) return &piece;
    offset -= piece.size_bytes;
  }
  return text.pieces.empty() ? nullptr : &written_[text.pieces.back()];
}

std::optional<RunTrace::Found> RunTrace::first_text(const RunTrace& other) const {
  static const Text silence;
  std::optional<Found> first;
  const auto look_at = [&](TaskId task, const Text& here, const Text& there) {
    if (here.text == there.text) return;
    const std::size_t offset = first_difference(here.text, there.text);
    const bool is_there = offset < there.text.size() || here.pieces.empty();
    const RunTrace& run = is_there ? other : *this;
    const Written* const piece = run.piece_at(is_there ? there : here, offset);
    if (first && piece->step >= first->step) return;
    first = Found{piece->step,
                  {fmt::format("has {} write {} instead of {}", run.name_of(task),
                               quoted_line(there.text, offset), quoted_line(here.text, offset)),
                   run.place_of(piece->where, task)}};
  };
  for (const auto& [task, here] : texts_) {
    const auto there = other.texts_.find(task);
    look_at(task, here, there == other.texts_.end() ? silence : there->second);
  }
  for (const auto& [task, there] : other.texts_) {
    if (!texts_.contains(task)) look_at(task, silence, there);
  }
  return first;
}

std::optional<RunTrace::Found> RunTrace::first_message(const RunTrace& other) const {
  using Content = std::tuple<std::int32_t, std::uint64_t, std::uint64_t>;
  const auto surplus_of = [](const RunTrace& run, const RunTrace& compared) -> const Sent* {
    std::map<Content, std::int64_t> rest;
    for (const Sent& one : compared.sent_) ++rest[one.content()];
    const auto found =
        std::ranges::find_if(run.sent_, [&](const Sent& one) { return --rest[one.content()] < 0; });
    return found == run.sent_.end() ? nullptr : &*found;
  };
  if (const Sent* const more = surplus_of(other, *this)) {
    return Found{
        more->step,
        {fmt::format("has {} send rank {} a message that is not in this one (tag {}, {} "
                     "bytes)",
                     other.name_of(more->task), more->destination, more->tag, more->size_bytes),
         other.place_of(more->where, more->task)}};
  }
  if (const Sent* const lacking = surplus_of(*this, other)) {
    return Found{
        lacking->step,
        {fmt::format("lacks a message of {} to rank {} (tag {}, {} bytes)", name_of(lacking->task),
                     lacking->destination, lacking->tag, lacking->size_bytes),
         place_of(lacking->where, lacking->task)}};
  }
  return std::nullopt;
}

std::optional<RunTrace::Found> RunTrace::first_finding(const RunTrace& other) const {
  const auto place = [](const Finding& finding) {
    return finding.where.empty() ? FindingPlace{} : finding.where.front();
  };
  for (const Finding& one : other.findings_) {
    if (is_among(one, findings_)) continue;
    return Found{0, {fmt::format("ends with {}: {}", one.title(), one.message), place(one)}};
  }
  for (const Finding& one : findings_) {
    if (is_among(one, other.findings_)) continue;
    return Found{0, {fmt::format("does not come to {}: {}", one.title(), one.message), place(one)}};
  }
  return std::nullopt;
}

std::optional<TraceDifference> RunTrace::first_file(const RunTrace& other) const {
  auto here = files_.begin();
  auto there = other.files_.begin();
  while (here != files_.end() || there != other.files_.end()) {
    const bool lacks =
        there == other.files_.end() || (here != files_.end() && here->path < there->path);
    const bool has_more =
        here == files_.end() || (there != other.files_.end() && there->path < here->path);
    if (lacks) return TraceDifference{done_text(*here, false), {}};
    if (has_more) return TraceDifference{done_text(*there, true), {}};
    if (*here != *there) return TraceDifference{file_difference(*here, *there), {}};
    ++here;
    ++there;
  }
  return std::nullopt;
}

std::optional<TraceDifference> RunTrace::difference(const RunTrace& other) const {
  // A run that has come to a finding may lack all that would have followed.
  if (auto finding = first_finding(other)) return std::move(finding->difference);
  auto text = first_text(other);
  auto message = first_message(other);
  if (text && (!message || text->step <= message->step)) return std::move(text->difference);
  auto file = first_file(other);
  if (message) {
    message->difference.is_seen = text.has_value() || file.has_value();
    if (file && !text) message->difference.text += "; it " + file->text;
    return std::move(message->difference);
  }
  return file;
}

}  // namespace orrery::detail
