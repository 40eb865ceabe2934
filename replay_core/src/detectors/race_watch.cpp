#include "race_watch.hpp"

#include <algorithm>
#include <string>

namespace orrery::detail {

RaceWatch::RaceWatch(std::span<const RacingBytes> races, VariableBytes& variables)
    : races_(races), variables_(variables) {
  for (const RacingBytes& race : races) {
    for (const RacingSide* const side : {&race.one, &race.other}) {
      AccessBitmap& bytes = wanted_[side->segment].bytes[side->writes ? 1 : 0];
      bytes.add(race.bytes.begin, race.bytes.end - race.bytes.begin);
    }
  }
}

void RaceWatch::begin_run(const RunInfo& info) {
  names_ = info.names;
  found_.begin_run(info.names);
}

RaceWatch::Task& RaceWatch::task_at(TaskId task) {
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  Task& one = tasks_[task.value];
  const std::uint32_t segment = order_.number(task);
  if (one.is_known && one.segment == segment) return one;
  const auto found = wanted_.find({task, segment});
  one.wanted = found != wanted_.end() ? &found->second : nullptr;
  one.segment = segment;
  one.is_known = true;
  return one;
}

void RaceWatch::on_event(const Event& event) {
  const bool is_plain = event.order == MemoryOrder::plain;
  if (is_plain && (event.kind == OperationKind::read || event.kind == OperationKind::write)) {
    const Address address = variables_.address_of(event.object);
    access(event.id.task, {address, address + 1}, event.kind == OperationKind::write,
           places_.number_of(event.where));
  } else if (HappensBefore::interest().has(event.kind)) {
    order_.apply(event, [](TaskId) {});
  }
  // Of a delivery the id is the send's.
  if (!is_machine_step(event.kind)) task_at(event.id.task).operation = event.id.number;
}

void RaceWatch::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors, [](TaskId) {});
}

void RaceWatch::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  if (task_at(task).wanted == nullptr) return;
  for (const MemoryAccess& one : accesses) {
    access(task, {one.address(), one.address() + one.size_bytes()}, one.kind() == AccessKind::write,
           places_.number_of(one.counter()));
  }
}

void RaceWatch::access(TaskId task, AddressRange bytes, bool writes, PlaceNumber place) {
  const Task& by = task_at(task);
  if (by.wanted == nullptr) return;
  const std::size_t kind = writes ? 1 : 0;
  AccessBitmap& wanted = by.wanted->bytes[kind];
  if (!wanted.has_any(bytes)) return;
  wanted.remove(bytes);
  by.wanted->seen[kind].push_back({bytes, place, by.operation, now_++});
}

void RaceWatch::end_run(const Outcome&) {
  find_frontier();  // needs them as they came
  for (auto& [segment, wanted] : wanted_) {
    for (std::vector<Seen>& seen : wanted.seen) {
      std::ranges::sort(seen, {}, [](const Seen& one) { return one.bytes.begin; });
    }
  }
  has_seen_all_ = true;
  for (const RacingBytes& race : races_) {
    for (const RacingSide* const side : {&race.one, &race.other}) {
      has_seen_all_ &= !wanted_[side->segment].bytes[side->writes ? 1 : 0].has_any(race.bytes);
    }
    pair_up(race);
  }
}

void RaceWatch::pair_up(const RacingBytes& race) {
  const auto seen_by = [&](const RacingSide& side) -> const std::vector<Seen>& {
    return wanted_[side.segment].seen[side.writes ? 1 : 0];
  };
  const auto first_near = [](const std::vector<Seen>& seen, Address begin) {
    // None is longer than this, and they are sorted by where they begin.
    const Address earliest = begin - std::min<Address>(begin, MemoryAccess::size_bytes_max);
    return std::ranges::lower_bound(seen, earliest, {},
                                    [](const Seen& one) { return one.bytes.begin; });
  };
  const std::vector<Seen>& of_one = seen_by(race.one);
  const std::vector<Seen>& of_other = seen_by(race.other);
  for (auto one = first_near(of_one, race.bytes.begin);
       one != of_one.end() && one->bytes.begin < race.bytes.end; ++one) {
    const Address begin = std::max(one->bytes.begin, race.bytes.begin);
    const Address end = std::min(one->bytes.end, race.bytes.end);
    for (auto other = first_near(of_other, begin);
         other != of_other.end() && other->bytes.begin < end; ++other) {
      if (other->bytes.end > begin) add_pair(race, *one, *other);
    }
  }
}

void RaceWatch::add_pair(const RacingBytes& race, const Seen& one, const Seen& other) {
  if (!found_.is_new(one.place, other.place)) return;
  const bool is_one_later = one.when > other.when;
  const RacingAccess of_one{race.one.segment.task, one.place, race.one.writes};
  const RacingAccess of_other{race.other.segment.task, other.place, race.other.writes};
  const AddressRange bytes = is_one_later ? one.bytes : other.bytes;
  const auto variable = variables_.object_at(bytes.begin);
  found_.add("nothing orders two accesses to " +
                 (variable ? names_->object(*variable) : memory_text(bytes.end - bytes.begin)),
             is_one_later ? of_one : of_other, is_one_later ? of_other : of_one, places_,
             variable ? RacedMemory::of(*variable) : RacedMemory{bytes, {}});
}

void RaceWatch::find_frontier() {
  std::map<TaskId, std::pair<std::uint64_t, FrontierPoint>> first;
  for (const auto& [segment, wanted] : wanted_) {
    for (const bool writes : {false, true}) {
      const std::vector<Seen>& seen = wanted.seen[writes ? 1 : 0];
      if (seen.empty()) continue;
      const Seen& earliest = seen.front();
      const std::pair point{
          earliest.when, FrontierPoint{segment.task, earliest.operation, earliest.place, writes}};
      const auto [found, is_new] = first.try_emplace(segment.task, point);
      if (!is_new && earliest.when < found->second.first) found->second = point;
    }
  }
  for (const auto& [task, point] : first) frontier_.push_back(point.second);
}

FindingPlace RaceWatch::place_of(const FrontierPoint& point) const {
  FindingPlace place;
  if (point.place != 0) place = names_->place(places_.place(point.place));
  place.task = names_->task(point.task);
  place.role =
      (point.writes ? "would write here, after operation " : "would read here, after operation ") +
      std::to_string(point.operation);
  return place;
}

}  // namespace orrery::detail
