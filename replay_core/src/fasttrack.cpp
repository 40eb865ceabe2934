// Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI 2009.  The
// order is `HappensBefore`, the rules for an access are in `AccessHistory`.
#include <unordered_map>

#include <fmt/format.h>

#include <orrery/replay_core/fasttrack.hpp>

#include "access_history.hpp"
#include "happens_before.hpp"
#include "memory_histories.hpp"
#include "place_table.hpp"
#include "race_list.hpp"

namespace orrery {

struct FastTrack::State {
  detail::HappensBefore order;
  detail::PlaceTable places;
  std::unordered_map<std::uint64_t, detail::AccessHistory> variables;  ///< by object
  detail::MemoryHistories memory;
  detail::SharedReads shared_reads;
  std::vector<detail::Race> races;  ///< of the access at hand
  detail::RaceList found;
  const Names* names = nullptr;

  void access_variable(const Event& event);
  template <typename Variable>
  void take_races(const detail::Access& now, bool writes, const Variable& variable);
};

template <typename Variable>
void FastTrack::State::take_races(const detail::Access& now, bool writes,
                                  const Variable& variable) {
  for (const detail::Race& race : races) {
    if (found.is_new(now.place, race.earlier.place)) {
      found.add(variable(), now, writes, race, places);
    }
  }
  races.clear();
}

void FastTrack::State::access_variable(const Event& event) {
  const detail::Access access{order.now(event.id.task), places.word_of(event.where)};
  const detail::VectorClock& known = order.clock(event.id.task);
  detail::AccessHistory& history = variables[event.object.packed()];
  const bool writes = event.kind == OperationKind::write;
  if (writes) {
    history.write(access, known, shared_reads, races);
  } else {
    history.read(access, known, shared_reads, races);
  }
  if (!races.empty()) take_races(access, writes, [&] { return names->object(event.object); });
}

FastTrack::FastTrack() : state_(std::make_unique<State>()) {}
FastTrack::~FastTrack() = default;

void FastTrack::begin_run(const RunInfo& info) {
  State& state = *state_;
  state.order.clear();
  state.places.clear();
  state.variables.clear();
  state.memory.clear();
  state.shared_reads.clear();
  state.races.clear();
  state.found.begin_run(info.names);
  state.names = info.names;
}

EventMask FastTrack::interest() const {
  return detail::HappensBefore::interest() | EventMask::accesses();
}

void FastTrack::on_event(const Event& event) {
  const bool is_plain_access =
      (event.kind == OperationKind::read || event.kind == OperationKind::write) &&
      event.order == MemoryOrder::plain;
  if (is_plain_access) {
    state_->access_variable(event);
  } else {
    state_->order.apply(event);
  }
}

void FastTrack::on_task(TaskId task, std::span<const TaskId> predecessors) {
  state_->order.begin_task(task, predecessors);
}

void FastTrack::on_freed(Address address, std::uint64_t size_bytes) {
  state_->memory.forget(address, size_bytes);
}

void FastTrack::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  State& state = *state_;
  const detail::Epoch now = state.order.now(task);
  const detail::VectorClock& known = state.order.clock(task);
  for (const MemoryAccess& one : accesses) {
    const detail::Access access{now, detail::PlaceTable::word_of(one.counter())};
    const std::uint32_t size_bytes = one.size_bytes();
    state.memory.access(one.address(), size_bytes, one.kind(), access, known, state.shared_reads,
                        state.races);
    if (state.races.empty()) continue;
    // An address would differ from machine to machine.
    state.take_races(access, one.kind() == AccessKind::write, [&] {
      return fmt::format("memory ({} {})", size_bytes, size_bytes == 1 ? "byte" : "bytes");
    });
  }
}

std::vector<Finding> FastTrack::findings() const {
  return state_->found.findings();
}

std::unique_ptr<Detector> make_fasttrack() {
  return std::make_unique<FastTrack>();
}

}  // namespace orrery
