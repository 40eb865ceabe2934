#include "race_story.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "library_races.hpp"
#include "race_list.hpp"

namespace orrery::detail {
namespace {

bool overlap(const AddressRange& one, const AddressRange& other) {
  return one.begin < other.end && other.begin < one.end;
}

/// ` at app.c:12`, or nothing.
std::string at_text(const FindingPlace& place) {
  return place.file.empty() ? "" : fmt::format(" at {}:{}", place.file, place.line);
}

}  // namespace

std::string learned_text(OperationKind kind, const std::string& object) {
  switch (kind) {
    case OperationKind::join: return "joined it";
    case OperationKind::mutex_lock:
    case OperationKind::mutex_try_lock: return "locked " + object;
    case OperationKind::shared_lock:
    case OperationKind::shared_try_lock: return "locked " + object + " as a reader";
    case OperationKind::semaphore_acquire:
    case OperationKind::semaphore_try_acquire: return "acquired " + object;
    case OperationKind::barrier_arrive:
    case OperationKind::barrier_wait: return "met others at " + object;
    case OperationKind::latch_wait: return "waited for " + object;
    case OperationKind::once_begin: return "came to " + object;
    case OperationKind::read:
    case OperationKind::read_modify_write: return "read " + object;
    case OperationKind::fence: return "came to a fence";
    case OperationKind::disk_read: return "read " + object;
    default: return "received a message";
  }
}

RaceStory::RaceStory(std::vector<ToldRace>& races, std::function<void(std::size_t)> tell)
    : races_(races), tell_(std::move(tell)), tellings_(races.size()) {
  for (const ToldRace& race : races) {
    const auto& [one, other] = race.accesses.tasks;
    lessons_[{one, other}];
    lessons_[{other, one}];
  }
}

void RaceStory::begin_run(const RunInfo& info) {
  names_ = info.names;
}

EventMask RaceStory::interest() const {
  return HappensBefore::interest() | EventMask::tasks() | EventMask::accesses_at_once() |
         EventMask::allocations();
}

void RaceStory::on_event(const Event& event) {
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write;
  if (is_access && event.order == MemoryOrder::plain) {
    const SourceLocation nowhere{};
    return access(event.id.task, {}, event.object, event.kind == OperationKind::write,
                  event.where != nullptr ? *event.where : nowhere);
  }
  if (const auto atomic = atomics_.of(event)) on_access(event.id.task, *atomic);
  order_.apply(event);
  learn(event);
}

void RaceStory::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors);
  Lesson lesson;
  lesson.is_start = true;
  learn_by(task, lesson);
}

void RaceStory::on_access(TaskId task, const MemoryAccess& access) {
  this->access(task, {access.address(), access.address() + access.size_bytes()}, {},
               access.kind() == AccessKind::write, SourceLocation::at(access.counter()));
}

void RaceStory::on_allocated(TaskId task, Address address, std::uint64_t size_bytes) {
  const AddressRange bytes{address, address + size_bytes};
  for (std::size_t i = 0; i < races_.size(); ++i) {
    if (tellings_[i].is_done || !overlap(races_[i].accesses.bytes, bytes)) continue;
    tellings_[i].block = Block{bytes, names_->task(task), names_->place_here({})};
  }
}

void RaceStory::on_freed(Address address, std::uint64_t size_bytes) {
  for (std::size_t i = 0; i < races_.size(); ++i) {
    Telling& telling = tellings_[i];
    if (telling.is_done || !telling.block) continue;
    if (overlap(telling.block->bytes, {address, address + size_bytes})) telling.block.reset();
  }
}

// --- the accesses ------------------------------------------------------------------------------

void RaceStory::access(TaskId task, AddressRange bytes, ObjectId variable, bool writes,
                       const SourceLocation& where) {
  for (std::size_t i = 0; i < races_.size(); ++i) {
    const RaceAccesses& wanted = races_[i].accesses;
    if (tellings_[i].is_done) continue;
    const bool is_there =
        variable != ObjectId{} ? wanted.variable == variable : overlap(wanted.bytes, bytes);
    if (is_there) access_of(i, task, writes, where);
  }
}

void RaceStory::access_of(std::size_t index, TaskId task, bool writes,
                          const SourceLocation& where) {
  const ToldRace& race = races_[index];
  Telling& telling = tellings_[index];
  const auto is_side = [&](std::size_t side) {
    if (race.accesses.tasks[side] != task || race.accesses.writes[side] != writes) return false;
    const FindingPlace place = names_->place(where);
    const FindingPlace& wanted = race.finding.where[side];
    return wanted.file.empty() || (place.file == wanted.file && place.line == wanted.line);
  };
  const Epoch now = order_.now(task);
  if (is_side(1)) {
    if (telling.earlier && telling.epoch == now) return;  // nothing has changed since
    telling.earlier = here(where, race.finding.where[1]);
    telling.epoch = now;
    telling.counter = where.program_counter;
  } else if (telling.earlier && is_side(0)) {
    const bool is_ordered = order_.clock(task).covers(telling.epoch);
    if (is_ordered && telling.is_told) return;
    telling.is_done = !is_ordered;
    complete(index, here(where, race.finding.where[0]), where.program_counter, is_ordered);
  }
}

FindingPlace RaceStory::here(const SourceLocation& where, const FindingPlace& known) const {
  FindingPlace place = known;
  FindingPlace found = names_->place_here(where);
  if (place.file.empty()) {
    place.file = std::move(found.file);
    place.line = found.line;
    place.function = std::move(found.function);
  }
  place.stack = std::move(found.stack);
  place.locks = names_->locks_here();
  return place;
}

void RaceStory::complete(std::size_t index, FindingPlace now, std::uintptr_t counter,
                         bool is_ordered) {
  ToldRace& race = races_[index];
  Telling& telling = tellings_[index];
  telling.is_told = true;
  race.finding.where[0] = std::move(now);
  race.finding.where[1] = *telling.earlier;
  race.finding.notes.clear();
  name_memory(race, telling);
  race.finding.notes.push_back(order_note(race, is_ordered));
  std::string library = library_race_note(symbolizer_, std::array{counter, telling.counter});
  if (!library.empty()) race.finding.notes.push_back(std::move(library));
  tell_(index);
}

// --- what lies there, and what ordered ---------------------------------------------------------

void RaceStory::name_memory(ToldRace& race, const Telling& telling) const {
  const AddressRange bytes = race.accesses.bytes;
  if (bytes.begin == bytes.end) return;
  if (telling.block) {
    const Block& block = *telling.block;
    const Address first = bytes.begin - std::min(bytes.begin, block.bytes.begin);
    const std::string inside = block.place.function.empty() ? "" : " in " + block.place.function;
    race.finding.notes.push_back(
        fmt::format("the memory: from byte {} on of the block that {} allocated{}{}", first,
                    block.task, at_text(block.place), inside));
    return;
  }
  const std::string name = names_->memory(bytes.begin);
  const std::string nameless = memory_text(bytes.end - bytes.begin);
  const std::size_t at = race.finding.message.find(nameless);
  if (name.empty() || at == std::string::npos) return;
  race.finding.message.replace(at, std::string_view("memory").size(), name);
}

void RaceStory::learn(const Event& event) {
  Lesson lesson{event.kind, event.object, event.matched.task, event.matched.number != 0, false, {}};
  if (event.where != nullptr) {
    const bool is_wanted = std::ranges::any_of(
        lessons_, [&](const auto& one) { return one.first.first == event.id.task; });
    if (!is_wanted) return;
    lesson.place = names_->place(*event.where);
    // The C++ library joins for its caller.
    const bool is_libraries = event.kind == OperationKind::join && lesson.place.file.empty();
    if (is_libraries) lesson.place = names_->place_here(*event.where);
  }
  learn_by(event.id.task, lesson);
}

void RaceStory::learn_by(TaskId task, const Lesson& lesson) {
  for (auto& [pair, known] : lessons_) {
    if (pair.first != task) continue;
    const std::uint32_t now = order_.clock(task).of(pair.second.value);
    if (now > known.first) known = {now, lesson};
  }
}

std::string RaceStory::order_note(const ToldRace& race, bool is_ordered) {
  const auto [later, earlier] = race.accesses.tasks;
  const std::string& later_name = race.finding.where[0].task;
  const std::string& earlier_name = race.finding.where[1].task;
  const auto& [clock, lesson] = lessons_[{later, earlier}];
  if (clock == 0) {
    return fmt::format("nothing that {} did before came after anything of {}", later_name,
                       earlier_name);
  }
  std::string what = fmt::format("{} was started", later_name);
  if (!lesson.is_start) {
    const std::string object =
        lesson.object != ObjectId{} ? names_->object(lesson.object) : std::string();
    const bool is_from_other =
        lesson.is_from_known && lesson.from != earlier && lesson.from != later;
    if (is_from_other && lesson.kind == OperationKind::join) {
      what = fmt::format("{} joined {}{}", later_name, names_->task(lesson.from),
                         at_text(lesson.place));
    } else {
      what = fmt::format("{} {}{}{}", later_name, learned_text(lesson.kind, object),
                         at_text(lesson.place),
                         is_from_other ? " after " + names_->task(lesson.from) : "");
    }
  }
  if (is_ordered) {
    return fmt::format("in this run {} came after {}: {}", later_name, earlier_name, what);
  }
  return fmt::format("the last synchronisation between them: {}", what);
}

}  // namespace orrery::detail
