#include "sync_preserving.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace orrery::detail {

using TraceKind = TraceEvent::Kind;

SyncIdeal::SyncIdeal(const SyncTrace& trace, bool keeps_locks)
    : trace_(&trace),
      wanted_(trace.task_count()),
      done_(trace.task_count()),
      locks_(trace.lock_count()),
      keeps_locks_(keeps_locks) {}

void SyncIdeal::want(std::uint32_t task, std::uint32_t events) {
  if (wanted_[task] >= events) return;
  if (wanted_[task] == done_[task]) behind_.push_back(task);
  wanted_[task] = events;
}

bool SyncIdeal::require(std::uint32_t task, std::uint32_t events) {
  want(task, events);
  while (!behind_.empty() && is_possible_) {
    const std::uint32_t next = behind_.back();
    if (done_[next] == wanted_[next]) {
      behind_.pop_back();
      continue;
    }
    add({next, done_[next]++});
    // What it needs may lie with others, and is behind this one in the list only once.
    if (done_[next] == wanted_[next]) std::erase(behind_, next);
  }
  return is_possible_;
}

void SyncIdeal::add(TraceRef ref) {
  ++work_;
  const TraceEvent& event = trace_->at(ref);
  for (const TraceRef& need : trace_->needs_of(event)) want(need.task, need.index + 1);
  if (!keeps_locks_) return;
  if (event.kind == TraceKind::acquire || event.kind == TraceKind::acquire_shared)
    take_lock(ref, event);
}

// Of two that take a lock, and do not both only read, the first has given it back.
void SyncIdeal::take_lock(TraceRef ref, const TraceEvent& event) {
  Lock& lock = locks_[event.lock];
  const bool is_alone = event.kind == TraceKind::acquire;
  std::vector<TraceRef> over;
  std::erase_if(lock.open, [&](const TraceRef& other) {
    const TraceEvent& taken = trace_->at(other);
    const bool is_over = (is_alone || taken.kind == TraceKind::acquire) && taken.when < event.when;
    if (is_over) over.push_back(other);
    return is_over;
  });
  const bool is_over = event.when < (is_alone ? lock.last : lock.last_writer);
  lock.last = std::max(lock.last, event.when);
  if (is_alone) lock.last_writer = std::max(lock.last_writer, event.when);
  if (is_over) {
    over.push_back(ref);
  } else {
    lock.open.push_back(ref);
  }
  for (const TraceRef& one : over) give_back(one);
}

void SyncIdeal::give_back(TraceRef acquire) {
  const std::uint32_t release = trace_->at(acquire).release;
  if (release == 0) {
    is_possible_ = false;
    return;
  }
  want(acquire.task, release + 1);
}

std::optional<PredictedRace> predict_race(const SyncTrace& trace, TraceRef one, TraceRef other) {
  SyncIdeal ideal(trace);
  if (!ideal.require(one.task, one.index) || !ideal.require(other.task, other.index)) return {};
  if (ideal.contains(one) || ideal.contains(other)) return {};
  PredictedRace race{one, other, ideal.events()};
  if (trace.at(other).when < trace.at(one).when) std::swap(race.earlier, race.later);
  return race;
}

std::optional<PredictedRace> guess_race(const SyncTrace& trace, TraceRef first, TraceRef other) {
  SyncIdeal ideal(trace, /*keeps_locks=*/false);
  ideal.require(first.task, first.index);
  PredictedRace race{first, other, {}, ideal.events()};
  ideal.require(other.task, other.index);
  if (ideal.contains(first) || ideal.contains(other)) return {};
  race.events = ideal.events();
  if (trace.at(other).when < trace.at(first).when) std::swap(race.earlier, race.later);
  return race;
}

namespace {

bool conflict(const TraceEvent& one, const TraceEvent& other) {
  return (one.kind == TraceKind::write || other.kind == TraceKind::write) &&
         one.address < other.address + other.size_bytes &&
         other.address < one.address + one.size_bytes;
}

/// What one task did to the same bytes of a word at one place, in its order.
struct LikeAccesses {
  TraceEvent event;
  std::vector<TraceRef> refs;
};

std::vector<LikeAccesses> like_accesses(const SyncTrace& trace,
                                        const std::vector<TraceRef>& accesses) {
  using Key = std::tuple<std::uint32_t, PlaceNumber, TraceKind, Address, std::uint32_t>;
  std::map<Key, LikeAccesses> by_key;
  for (const TraceRef& ref : accesses) {
    const TraceEvent& one = trace.at(ref);
    LikeAccesses& like = by_key[{ref.task, one.place, one.kind, one.address, one.size_bytes}];
    if (like.refs.empty()) like.event = one;
    like.refs.push_back(ref);
  }
  std::vector<LikeAccesses> all;
  for (auto& [key, like] : by_key) all.push_back(std::move(like));
  return all;
}

/// Goes through the accesses of words, and holds on where it takes too long.
class Search {
 public:
  Search(const SyncTrace& trace, std::size_t races_of_places_max)
      : trace_(trace), races_of_places_max_(races_of_places_max) {}

  PredictedRaces run() {
    is_whole_ = !trace_.is_cut();
    for (const std::vector<TraceRef>& accesses : trace_.words()) look_at_word(accesses);
    PredictedRaces all{{}, pairs_, is_whole_};
    for (Places* const of_places : in_order_) {
      for (auto& [distance, race] : of_places->races) all.races.push_back(std::move(race));
    }
    return all;
  }

 private:
  static constexpr std::uint64_t work_max = 200'000'000;
  static constexpr std::uint64_t work_of_places_max = 4'000'000;
  static constexpr std::uint64_t tries_of_places_min = 60;  ///< whatever work they are

  /// Two places, and how far apart in the trace the nearest of their races are.
  struct Places {
    std::uint64_t tries = 0;
    std::uint64_t work = 0;
    std::multimap<std::uint64_t, PredictedRace> races;
    [[nodiscard]] bool is_spent() const {
      return tries >= tries_of_places_min && work > work_of_places_max;
    }
  };

  void look_at_word(const std::vector<TraceRef>& accesses) {
    if (accesses.size() < 2) return;
    const std::vector<LikeAccesses> all = like_accesses(trace_, accesses);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const TraceEvent& a = all[i].event;
        const TraceEvent& b = all[j].event;
        if (all[i].refs[0].task == all[j].refs[0].task || !conflict(a, b)) continue;
        Places& places = places_[std::minmax(a.place, b.place)];
        const bool has_enough = places.races.size() >= races_of_places_max_;
        if (places.is_spent() || work_ > work_max) {
          is_whole_ = is_whole_ && has_enough;
          continue;
        }
        const std::uint64_t work = look_at(all[i], all[j], places);
        if (work > 0) ++places.tries;
        places.work += work;
        work_ += work;
      }
    }
  }

  /// Goes along both, as in the paper's section 5: what a later access needs is what the earlier
  /// ones of its task needed, and more, so the ideal only grows, and an access that it contains
  /// is no next one of any further pair.
  std::uint64_t look_at(const LikeAccesses& one, const LikeAccesses& other, Places& places) {
    SyncIdeal ideal(trace_);
    auto a = one.refs.begin();
    auto b = other.refs.begin();
    while (a != one.refs.end() && b != other.refs.end()) {
      bool has_a = trace_.always_follows(*b, *a);
      bool has_b = trace_.always_follows(*a, *b);
      if (!has_a && !has_b) {
        ++pairs_;
        if (!ideal.require(a->task, a->index) || !ideal.require(b->task, b->index)) break;
        has_a = ideal.contains(*a);
        has_b = ideal.contains(*b);
        if (!has_a && !has_b) add({*a, *b, ideal.events()}, places);
      }
      const bool a_is_first = trace_.at(*a).when < trace_.at(*b).when;
      if (has_a || (!has_b && a_is_first)) ++a;
      if (has_b || (!has_a && !a_is_first)) ++b;
    }
    return ideal.work();
  }

  /// Keeps the nearest: the less of the run has to go another way, the likelier it can be shown.
  void add(PredictedRace race, Places& places) {
    std::uint64_t earlier = trace_.at(race.earlier).when;
    std::uint64_t later = trace_.at(race.later).when;
    if (later < earlier) {
      std::swap(earlier, later);
      std::swap(race.earlier, race.later);
    }
    if (places.races.empty()) in_order_.push_back(&places);
    places.races.emplace(later - earlier, std::move(race));
    if (places.races.size() > races_of_places_max_) places.races.erase(--places.races.end());
  }

  const SyncTrace& trace_;
  std::size_t races_of_places_max_;
  std::map<std::pair<PlaceNumber, PlaceNumber>, Places> places_;
  std::vector<Places*> in_order_;  ///< those that have races, as they were found
  std::uint64_t work_ = 0;
  std::uint64_t pairs_ = 0;
  bool is_whole_ = true;
};

}  // namespace

PredictedRaces find_predicted_races(const SyncTrace& trace, std::size_t races_of_places_max) {
  return Search(trace, races_of_places_max).run();
}

}  // namespace orrery::detail
