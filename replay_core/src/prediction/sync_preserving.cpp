#include "sync_preserving.hpp"

#include <algorithm>
#include <map>
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

/// Goes through the accesses of words, and holds on where it takes too long.
class Prediction {
 public:
  Prediction(const SyncTrace& trace, const std::function<bool(PlaceNumber, PlaceNumber)>& is_wanted,
             const std::function<void(const PredictedRace&)>& found)
      : trace_(trace), is_wanted_(is_wanted), found_(found) {}

  PredictionEffort run() {
    effort_.is_whole = !trace_.is_cut();
    for (const std::vector<TraceRef>& accesses : trace_.words()) {
      for (std::size_t i = 0; i + 1 < accesses.size(); ++i) look_from(accesses, i);
    }
    return effort_;
  }

 private:
  static constexpr std::uint64_t work_max = 200'000'000;
  static constexpr std::uint32_t tries_max = 60;  ///< of one pair of places

  /// Pairs of this access and later ones.  What one task's later access needs is what its earlier
  /// ones needed, and more: so the ideal only grows, and is computed once for each task.
  void look_from(const std::vector<TraceRef>& accesses, std::size_t i) {
    const TraceRef one = accesses[i];
    std::map<std::uint32_t, std::optional<SyncIdeal>> ideals;
    std::optional<SyncIdeal> base;
    for (std::size_t j = i + 1; j < accesses.size(); ++j) {
      const TraceRef other = accesses[j];
      const TraceEvent& a = trace_.at(one);
      const TraceEvent& b = trace_.at(other);
      if (other.task == one.task || !conflict(a, b) || !is_wanted_(a.place, b.place)) continue;
      if (++tries_[std::minmax(a.place, b.place)] > tries_max) continue;
      if (work_ > work_max) {
        effort_.is_whole = false;
        return;
      }
      if (!base) {
        base.emplace(trace_);
        base->require(one.task, one.index);
        work_ += base->work();
      }
      const auto [found, is_new] = ideals.try_emplace(other.task, base);
      if (found->second && !look_at(*found->second, one, other)) found->second.reset();
    }
  }

  /// False: no further access of that task will do.
  bool look_at(SyncIdeal& ideal, TraceRef one, TraceRef other) {
    ++effort_.pairs;
    const std::uint64_t before = ideal.work();
    const bool is_possible = ideal.require(other.task, other.index);
    work_ += ideal.work() - before;
    if (!is_possible || ideal.contains(one)) return false;
    if (ideal.contains(other)) return true;
    found_(PredictedRace{one, other, ideal.events()});
    return true;
  }

  const SyncTrace& trace_;
  const std::function<bool(PlaceNumber, PlaceNumber)>& is_wanted_;
  const std::function<void(const PredictedRace&)>& found_;
  PredictionEffort effort_;
  std::uint64_t work_ = 0;
  std::map<std::pair<PlaceNumber, PlaceNumber>, std::uint32_t> tries_;
};

}  // namespace

PredictionEffort find_predicted_races(
    const SyncTrace& trace, const std::function<bool(PlaceNumber, PlaceNumber)>& is_wanted,
    const std::function<void(const PredictedRace&)>& found) {
  return Prediction(trace, is_wanted, found).run();
}

}  // namespace orrery::detail
