// Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009.  The
// order is `HappensBefore`, the rules for an access are in `AccessHistory`.
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/fasttrack.hpp>

#include "access_history.hpp"
#include "freed_atomics.hpp"
#include "memory_histories.hpp"
#include "order/epoch_numbers.hpp"
#include "order/happens_before.hpp"
#include "order/place_table.hpp"
#include "race_list.hpp"
#include "read_sets.hpp"

namespace orrery {

struct FastTrack::State {
  detail::HappensBefore order;
  detail::EpochNumbers epochs;
  detail::PlaceTable places;
  detail::ReadSets read_sets;
  std::vector<detail::KnownLately> known_lately;             ///< by task
  std::unordered_map<std::uint64_t, std::size_t> variables;  ///< by object: the history's number
  std::vector<detail::AccessHistory> histories;
  detail::MemoryHistories memory{read_sets};
  std::vector<detail::Race> races;  ///< of the access at hand
  detail::RaceList found;
  detail::FreedAtomics atomics{found, places};
  const Names* names = nullptr;

  detail::EpochNumber number_of(detail::Epoch epoch) {
    const detail::EpochNumber known = epochs.known(epoch);
    if (known != 0) return known;
    if (epochs.are_many()) forget_old_epochs();
    return epochs.number_of(epoch);
  }
  [[gnu::noinline]] void forget_old_epochs();
  detail::Accessor accessor(TaskId task);
  void access_variable(const Event& event);
  template <typename Variable>
  void take_races(const detail::Access& now, bool writes, const detail::RacedMemory& where,
                  const Variable& variable);
};

template <typename Variable>
void FastTrack::State::take_races(const detail::Access& now, bool writes,
                                  const detail::RacedMemory& where, const Variable& variable) {
  const auto task_of = [&](const detail::Access& one) {
    return TaskId{epochs.epoch(one.epoch).task};
  };
  for (const detail::Race& race : races) {
    if (!found.is_new(now.place, race.earlier.place)) continue;
    found.add("nothing orders two accesses to " + variable(), {task_of(now), now.place, writes},
              {task_of(race.earlier), race.earlier.place, race.earlier_writes}, places, where);
  }
  races.clear();
}

void FastTrack::State::forget_old_epochs() {
  epochs.renumber([&](const auto& function) {
    for (detail::AccessHistory& one : histories) one.for_each_epoch(function);
    memory.for_each_epoch(function);
    read_sets.for_each([&](detail::Access& one) { function(one.epoch); });
  });
  known_lately.clear();
}

detail::Accessor FastTrack::State::accessor(TaskId task) {
  const detail::VectorClock& clock = order.clock(task);
  const detail::EpochNumber now = number_of({task.value, clock.of(task.value)});
  if (task.value >= known_lately.size()) known_lately.resize(std::size_t{task.value} + 1);
  detail::KnownLately& lately = known_lately[task.value];
  lately[now % lately.size()] = now;
  return {now, clock, lately, epochs, read_sets, races};
}

void FastTrack::State::access_variable(const Event& event) {
  detail::Accessor by = accessor(event.id.task);
  const detail::PlaceNumber place = places.number_of(event.where);
  const auto [found_at, is_new] = variables.try_emplace(event.object.packed(), histories.size());
  if (is_new) histories.emplace_back();
  detail::AccessHistory& history = histories[found_at->second];
  const bool writes = event.kind == OperationKind::write;
  history.access(writes, place, by);
  if (races.empty()) return;
  take_races({by.epoch, place}, writes, detail::RacedMemory::of(event.object),
             [&] { return names->object(event.object); });
}

FastTrack::FastTrack() : state_(std::make_unique<State>()) {}
FastTrack::~FastTrack() = default;

void FastTrack::begin_run(const RunInfo& info) {
  State& state = *state_;
  state.order.clear();
  state.epochs.clear();
  state.places.clear();
  state.read_sets.clear();
  state.known_lately.clear();
  state.variables.clear();
  state.histories.clear();
  state.memory.clear();
  state.atomics.clear();
  state.races.clear();
  state.found.begin_run(info.names);
  state.names = info.names;
}

EventMask FastTrack::interest() const {
  return detail::HappensBefore::interest() | EventMask::accesses_among_threads();
}

void FastTrack::on_event(const Event& event) {
  const bool is_plain_access =
      (event.kind == OperationKind::read || event.kind == OperationKind::write) &&
      event.order == MemoryOrder::plain;
  if (is_plain_access) {
    state_->access_variable(event);
    return;
  }
  state_->atomics.access(event, state_->order.clock(event.id.task));
  state_->order.apply(event);
}

void FastTrack::on_task(TaskId task, std::span<const TaskId> predecessors) {
  state_->order.begin_task(task, predecessors);
}

void FastTrack::on_freed(Address address, std::uint64_t size_bytes) {
  state_->memory.forget(address, size_bytes);
  state_->atomics.forget(address, size_bytes);
}

void FastTrack::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  State& state = *state_;
  detail::Accessor by = state.accessor(task);
  state.memory.access(
      accesses, by, [&](ProgramCounter counter) { return state.places.number_of(counter); },
      [&](const MemoryAccess& one, detail::PlaceNumber place) {
        state.take_races({by.epoch, place}, one.kind() == AccessKind::write,
                         detail::RacedMemory::of(one),
                         [&] { return detail::memory_text(one.size_bytes()); });
      });
  state.atomics.access(task, accesses, state.order.clock(task));
}

std::vector<Finding> FastTrack::findings() const {
  return state_->found.findings();
}

std::vector<RaceAccesses> FastTrack::races() const {
  return state_->found.races();
}

std::unique_ptr<Detector> make_fasttrack() {
  return std::make_unique<FastTrack>();
}

}  // namespace orrery
