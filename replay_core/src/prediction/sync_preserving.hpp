// Races of other runs that keep the order of each lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sync_trace.hpp"

namespace orrery::detail {

/// What must have happened before some events can be next, if each lock is taken in the order of
/// the trace and each read sees what it saw: of each task the beginning of what it did.
///
/// Mathur, Pavlogiannis, Viswanathan, "Optimal prediction of synchronization-preserving races",
/// POPL 2021: the closure of section 4 (their SPIdeal).  We add locks for readers and writers, and
/// orders that no locks make (`SyncTrace`); what is kept of these may be more than must be.
class SyncIdeal {
 public:
  /// `keeps_locks` false: locks are left to themselves, and it may be no run.
  explicit SyncIdeal(const SyncTrace& trace, bool keeps_locks = true);

  /// That the task has done so many of its events, and all that this needs.  Returns false, and for
  /// ever, if it needs a lock back that is never given back.
  bool require(std::uint32_t task, std::uint32_t events);
  [[nodiscard]] bool contains(TraceRef event) const { return done_[event.task] > event.index; }
  /// Of each task, how many of its events have been done.
  [[nodiscard]] const std::vector<std::uint32_t>& events() const { return done_; }
  /// How many events have been looked at so far.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Lock {
    std::uint64_t last_writer = 0;  ///< when it was last taken alone
    std::uint64_t last = 0;         ///< when it was last taken at all
    std::vector<TraceRef> open;     ///< taken, and maybe not given back
  };
  void want(std::uint32_t task, std::uint32_t events);
  void add(TraceRef ref);
  void take_lock(TraceRef ref, const TraceEvent& event);
  void give_back(TraceRef acquire);

  const SyncTrace* trace_;
  std::vector<std::uint32_t> wanted_;
  std::vector<std::uint32_t> done_;
  std::vector<std::uint32_t> behind_;  ///< tasks that have not done what is wanted
  std::vector<Lock> locks_;
  std::uint64_t work_ = 0;
  bool keeps_locks_;
  bool is_possible_ = true;
};

/// Two accesses that can be next at the same time, and what has happened then.
struct PredictedRace {
  TraceRef earlier;  ///< in the trace
  TraceRef later;
  std::vector<std::uint32_t> events;  ///< by task: how many of its events come before
  /// Where the order of the locks must change: those of them that come first.
  std::vector<std::uint32_t> first_events = {};
};

/// Do they, in such a run?  Nothing: no.
[[nodiscard]] std::optional<PredictedRace> predict_race(const SyncTrace& trace, TraceRef one,
                                                        TraceRef other);

/// Where that is not so: a way that may lead there all the same, with all that one of the two needs
/// before what only the other one does.  Nothing: one of them needs the other.
[[nodiscard]] std::optional<PredictedRace> guess_race(const SyncTrace& trace, TraceRef first,
                                                      TraceRef other);

/// What a search has found.
struct PredictedRaces {
  std::vector<PredictedRace> races;
  std::uint64_t pairs = 0;  ///< of accesses that were looked at
  bool is_whole = true;     ///< false: it was given up
};

/// Searches the trace for them: of each two places at most so many, the nearest ones.
[[nodiscard]] PredictedRaces find_predicted_races(const SyncTrace& trace,
                                                  std::size_t races_of_places_max);

}  // namespace orrery::detail
