#include "race_marks.hpp"

#include <orrery/replay_core/memory_groups.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery::detail {
namespace {

std::uint64_t first_word(const MarkedAccess& access) {
  return access.address / MemoryGroups::word_bytes;
}

std::uint64_t end_word(const MarkedAccess& access) {
  return (access.address + access.size_bytes + MemoryGroups::word_bytes - 1) /
         MemoryGroups::word_bytes;
}

bool overlap(const MarkedAccess& one, const MarkedAccess& other) {
  return one.address < other.address + other.size_bytes &&
         other.address < one.address + one.size_bytes;
}

}  // namespace

RaceMarks::RaceMarks(std::span<const Finding> races, const Names& names)
    : races_(races), names_(names), searches_(races.size()) {}

EventMask RaceMarks::interest() {
  return HappensBefore::interest() | EventMask::accesses();
}

void RaceMarks::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors);
}

void RaceMarks::on_event(const Event& event, std::uint32_t operation, std::uint32_t operations) {
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write;
  if (is_access && event.where != nullptr) {
    look_at({.id = event.id,
             .operation = operation,
             .operations_before = operations,
             .date = event.time,
             .address = event.object.packed(),
             .size_bytes = 1,
             .is_write = event.kind == OperationKind::write,
             .place = places_.number_of(event.where),
             .epoch = {}});
  }
  order_.apply(event);
}

void RaceMarks::on_access(OperationId last, const MemoryAccess& access, std::uint32_t operations,
                          VirtualTime date) {
  look_at({.id = last,
           .operations_before = operations,
           .date = date,
           .address = access.address(),
           .size_bytes = access.size_bytes(),
           .is_write = access.kind() == AccessKind::write,
           .place = places_.number_of(access.counter()),
           .epoch = {}});
}

const std::vector<RaceMarks::Side>& RaceMarks::sides_at(PlaceNumber place) {
  if (sides_.size() <= place) sides_.resize(places_.size());
  std::optional<std::vector<Side>>& sides = sides_[place];
  if (!sides) {
    sides.emplace();
    const FindingPlace here = names_.place(places_.place(place));
    for (std::uint32_t i = 0; i < races_.size(); ++i) {
      if (races_[i].where.size() < 2) continue;
      for (const Side side : {Side{i, true}, Side{i, false}}) {
        const FindingPlace& line = place_of(side);
        if (line.file == here.file && line.line == here.line) {
          sides->push_back(side);
        }
      }
    }
  }
  return *sides;
}

void RaceMarks::look_at(MarkedAccess access) {
  const std::vector<Side>& sides = sides_at(access.place);
  if (sides.empty()) return;
  access.serial = ++serial_;
  access.epoch = order_.now(access.id.task);
  const std::string task = names_.task(access.id.task);
  for (const Side& side : sides) {
    Search& search = searches_[side.finding];
    if (search.is_unordered || place_of(side).task != task) continue;
    if (!side.is_first) {
      meet(search, side.finding, access);
      continue;
    }
    for (std::uint64_t word = first_word(access); word < end_word(access); ++word) {
      search.firsts.insert_or_assign(word, access);
    }
  }
}

void RaceMarks::meet(Search& search, std::uint32_t finding, const MarkedAccess& second) {
  const VectorClock& known = order_.clock(second.id.task);
  for (std::uint64_t word = first_word(second); word < end_word(second); ++word) {
    const auto found = search.firsts.find(word);
    if (found == search.firsts.end()) continue;
    const MarkedAccess& first = found->second;
    if (first.id.task == second.id.task || !overlap(first, second)) continue;
    if (!first.is_write && !second.is_write) continue;
    const bool is_unordered = !known.covers(first.epoch);
    if (!is_unordered && search.best.first.serial != 0) continue;
    search.best = {finding, first, second};
    search.is_unordered = is_unordered;
    if (is_unordered) return;
  }
}

std::vector<MarkedPair> RaceMarks::pairs() const {
  std::vector<MarkedPair> met;
  for (const Search& search : searches_) {
    if (search.best.first.serial != 0) met.push_back(search.best);
  }
  return met;
}

}  // namespace orrery::detail
