#include <algorithm>
#include <map>
#include <utility>

#include <orrery/replay_core/access_protection.hpp>
#include <orrery/sim_runtime/run_words.hpp>

#include "linkages/shared_operations.hpp"
#include "order/happens_before.hpp"
#include "order/place_table.hpp"

namespace orrery {
namespace detail {

/// Gives each set of places a short number: many variables have the same.
class PlaceSets {
 public:
  using Number = std::uint32_t;
  PlaceSets() { clear(); }
  void clear() {
    sets_.assign(1, {});
    with_.clear();
  }
  Number with(Number set, PlaceNumber place) {
    const auto [found, is_new] = with_.try_emplace({set, place}, set);
    if (!is_new || std::ranges::binary_search(sets_[set], place)) return found->second;
    std::vector<PlaceNumber> more = sets_[set];
    more.insert(std::ranges::upper_bound(more, place), place);
    const auto same = std::ranges::find(sets_, more);
    found->second = static_cast<Number>(same - sets_.begin());
    if (same == sets_.end()) sets_.push_back(std::move(more));
    return found->second;
  }
  [[nodiscard]] const std::vector<PlaceNumber>& places(Number set) const { return sets_[set]; }

 private:
  std::vector<std::vector<PlaceNumber>> sets_;
  std::map<std::pair<Number, PlaceNumber>, Number> with_;
};

}  // namespace detail

using detail::Epoch;
using detail::PlaceNumber;
using detail::PlaceSets;

namespace {

constexpr PlaceNumber atomics = 0;  // no place of the program's

}  // namespace

std::string_view name(Protection protection) {
  switch (protection) {
    case Protection::all: return "protected_rw";
    case Protection::writes: return "protected_w";
    default: return "unprotected";
  }
}

struct AccessProtection::State {
  /// The last access of its kind by its task.
  struct Past {
    Epoch epoch;
    PlaceNumber place = 0;
    bool writes = false;
  };

  /// A variable, from when all that was done to it lay in the past.
  struct Sharing {
    std::vector<Past> pasts;
    PlaceSets::Number readers = 0;
    PlaceSets::Number writers = 0;
    Past last;
    Protection protection = Protection::all;
  };

  explicit State(OnRace told) : on_race(std::move(told)) {}

  OnRace on_race;
  detail::HappensBefore order;
  detail::PlaceTable places;
  detail::VariableKeys keys;
  PlaceSets sets;
  detail::RunWords<std::uint32_t> words;  ///< the number of a sharing; 0: none
  std::vector<Sharing> sharings;          ///< by number, less one
  std::vector<std::uint32_t> free_sharings;
  std::vector<Protection> found;  ///< by place

  Sharing& sharing(std::uint32_t& number);
  void access(Sharing& variable, const Past& now);
  [[nodiscard]] bool comes_behind_all(const Sharing& variable, const Past& now);
  static void remember(Sharing& variable, const Past& now);
  /// What is known of the variable counts for the places that have come to it.
  void settle(const Sharing& variable, std::vector<Protection>& all) const;
  [[nodiscard]] Access told(const Past& one) const {
    return {TaskId{one.epoch.task}, places.place(one.place).program_counter, one.writes};
  }
};

AccessProtection::State::Sharing& AccessProtection::State::sharing(std::uint32_t& number) {
  if (number == 0 && free_sharings.empty()) {
    sharings.emplace_back();
    number = static_cast<std::uint32_t>(sharings.size());
  } else if (number == 0) {
    number = free_sharings.back();
    free_sharings.pop_back();
  }
  return sharings[number - 1];
}

bool AccessProtection::State::comes_behind_all(const Sharing& variable, const Past& now) {
  const detail::VectorClock& clock = order.clock(TaskId{now.epoch.task});
  return std::ranges::all_of(variable.pasts, [&](const Past& past) {
    return past.epoch.task == now.epoch.task || clock.covers(past.epoch);
  });
}

void AccessProtection::State::remember(Sharing& variable, const Past& now) {
  const auto found = std::ranges::find_if(variable.pasts, [&](const Past& past) {
    return past.epoch.task == now.epoch.task && past.writes == now.writes &&
           (past.place == atomics) == (now.place == atomics);
  });
  if (found == variable.pasts.end()) {
    variable.pasts.push_back(now);
  } else {
    *found = now;
  }
  variable.last = now;
}

void AccessProtection::State::access(Sharing& variable, const Past& now) {
  const Past& last = variable.last;
  if (last.epoch == now.epoch && last.place == now.place && last.writes == now.writes) return;
  const bool is_of_others = std::ranges::any_of(
      variable.pasts, [&](const Past& past) { return past.epoch.task != now.epoch.task; });
  if (is_of_others && comes_behind_all(variable, now)) {
    settle(variable, found);
    variable = {};
  } else if (is_of_others) {
    const detail::VectorClock& clock = order.clock(TaskId{now.epoch.task});
    for (const Past& past : variable.pasts) {
      const bool are_both_atomic = past.place == atomics && now.place == atomics;
      if (past.epoch.task == now.epoch.task || clock.covers(past.epoch) || are_both_atomic) {
        continue;
      }
      if (!past.writes && !now.writes) continue;
      const Protection left = past.writes && now.writes ? Protection::none : Protection::writes;
      variable.protection = std::max(variable.protection, left);
      if (on_race) on_race(told(now), told(past));
    }
  }
  PlaceSets::Number& set = now.writes ? variable.writers : variable.readers;
  set = sets.with(set, now.place);
  remember(variable, now);
}

void AccessProtection::State::settle(const Sharing& variable, std::vector<Protection>& all) const {
  all.resize(std::max(all.size(), places.size()), Protection::all);
  for (const PlaceNumber place : sets.places(variable.writers)) {
    all[place] = std::max(all[place], variable.protection);
  }
  // A read that a write may meet is kept, whatever orders the writes.
  const Protection of_reads =
      variable.protection == Protection::all ? Protection::all : Protection::none;
  for (const PlaceNumber place : sets.places(variable.readers)) {
    all[place] = std::max(all[place], of_reads);
  }
}

AccessProtection::AccessProtection(OnRace on_race)
    : state_(std::make_unique<State>(std::move(on_race))) {}
AccessProtection::~AccessProtection() = default;

void AccessProtection::begin_run(const RunInfo& /*info*/) {
  state_ = std::make_unique<State>(std::move(state_->on_race));
}

EventMask AccessProtection::interest() const {
  return detail::HappensBefore::interest() | EventMask::accesses();
}

void AccessProtection::on_task(TaskId task, std::span<const TaskId> predecessors) {
  state_->order.begin_task(task, predecessors);
}

void AccessProtection::on_event(const Event& event) {
  State& state = *state_;
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write ||
                         event.kind == OperationKind::read_modify_write;
  if (is_access && event.order == MemoryOrder::plain) return;  // told of as memory
  // By what it publishes others know of the access, too.
  const std::uintptr_t address =
      is_access ? state.keys.of(event.object).place.program_address : std::uintptr_t{0};
  if (address != 0) {
    state.access(state.sharing(state.words.at(address)),
                 {state.order.now(event.id.task), atomics, event.kind != OperationKind::read});
  }
  state.order.apply(event);
}

void AccessProtection::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  State& state = *state_;
  constexpr Address word_bytes = 8;
  const Epoch epoch = state.order.now(task);
  for (const MemoryAccess& one : accesses) {
    const State::Past now{epoch, state.places.number_of(one.counter()),
                          one.kind() == AccessKind::write};
    const Address behind = one.address() + one.size_bytes();
    for (Address at = one.address() / word_bytes * word_bytes; at < behind; at += word_bytes) {
      state.access(state.sharing(state.words.at(at)), now);
    }
  }
}

void AccessProtection::on_freed(Address address, std::uint64_t size_bytes) {
  State& state = *state_;
  constexpr Address word_bytes = 8;
  const Address first = address / word_bytes * word_bytes;
  const Address behind = (address + size_bytes + word_bytes - 1) / word_bytes * word_bytes;
  state.words.for_each_in(first, behind, [&](std::uint32_t& number) {
    if (number == 0) return;
    state.settle(state.sharings[number - 1], state.found);
    state.sharings[number - 1] = {};
    state.free_sharings.push_back(std::exchange(number, 0));
  });
}

std::vector<AccessProtection::Site> AccessProtection::sites() const {
  std::vector<Protection> all = state_->found;
  for (const State::Sharing& one : state_->sharings) state_->settle(one, all);
  std::vector<Site> sites;
  for (PlaceNumber place = 1; place < state_->places.size(); ++place) {
    const ProgramCounter counter = state_->places.place(place).program_counter;
    if (counter != 0) sites.push_back({counter, all[place]});
  }
  return sites;
}

}  // namespace orrery
