// What the workers of a search and their parent tell each other through shared memory.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <unistd.h>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>

namespace orrery::detail {

/// What one run came to, as far as the counts of the report need it.
struct RunRecord {
  enum Flags : std::uint32_t { abandoned = 1, limited = 2, contradicted = 4, walk_ended = 8 };
  /// So many races of one run are told apart from its first finding.
  static constexpr std::size_t races_max = 15;
  static constexpr std::size_t rules_max = 16;
  std::uint64_t schedule_hash = 0;
  std::uint64_t finding_key = 0;  ///< of the first finding; 0: none
  std::uint64_t steps = 0;
  std::int64_t end_ns = 0;
  std::uint32_t flags = 0;
  std::uint32_t limit = 0;  ///< a `Limit`
  /// How many findings were not wanted by a rule, which is one of the first rules that a run has
  /// met.
  struct Suppressed {
    std::uint32_t rule = 0;
    std::uint32_t count = 0;  ///< 0: no more
  };
  std::array<Suppressed, rules_max> suppressed{};
  /// Of its data races besides, where the search keeps going; 0: no more.
  std::array<std::uint64_t, races_max> other_races{};
};

/// The runs that lie ahead of the parent, by index: whose each is, and what it came to.  Written by
/// the worker, read by the parent in the order of the indices: so the report does not depend on who
/// was faster, and what a worker had when it was killed is known.
class ResultRing {
 public:
  static constexpr std::uint64_t size = std::uint64_t{1} << 16U;

  /// Has the parent come so far that there is room for this run?
  [[nodiscard]] bool has_room_for(std::uint64_t index) const {
    return index < consumed_.load(std::memory_order_acquire) + size;
  }
  /// Makes the run this worker's, if it is nobody's yet.  There must be room for it.
  bool claim(std::uint64_t index, std::uint32_t worker) {
    std::atomic<std::uint64_t>& owner = slots_[index % size].owner;
    std::uint64_t before = owner.load();
    return before >> worker_bits != index + 1 &&
           owner.compare_exchange_strong(before, claim_word(index, worker));
  }
  [[nodiscard]] bool belongs_to(std::uint64_t index, std::uint32_t worker) const {
    return slots_[index % size].owner.load() == claim_word(index, worker);
  }
  /// `faults`: null where none was possible; they lie apart, so that runs without any stay small.
  void publish(std::uint64_t index, const RunRecord& record, const FaultCounts* faults = nullptr) {
    Slot& slot = slots_[index % size];
    slot.record = record;
    slot.has_faults = faults != nullptr;
    if (faults != nullptr) faults_[index % size] = *faults;
    slot.tag.store(index + 1, std::memory_order_release);
  }
  /// The result of run `index`, or null if it is not done.
  [[nodiscard]] const RunRecord* find(std::uint64_t index) const {
    const Slot& slot = slots_[index % size];
    return slot.tag.load(std::memory_order_acquire) == index + 1 ? &slot.record : nullptr;
  }
  /// What struck in a run whose result is there, or null.
  [[nodiscard]] const FaultCounts* faults(std::uint64_t index) const {
    return slots_[index % size].has_faults ? &faults_[index % size] : nullptr;
  }
  /// Everything below `index` has been read.
  void set_consumed(std::uint64_t index) { consumed_.store(index, std::memory_order_release); }

 private:
  static constexpr unsigned worker_bits = 16;
  static std::uint64_t claim_word(std::uint64_t index, std::uint32_t worker) {
    return (index + 1) << worker_bits | worker;
  }
  struct Slot {
    std::atomic<std::uint64_t> owner;
    std::atomic<std::uint64_t> tag;
    RunRecord record;
    bool has_faults;
  };
  std::atomic<std::uint64_t> consumed_;
  Slot slots_[size];
  FaultCounts faults_[size];  // never touched, no memory taken, where there are none
};

/// Shared by all workers of a search.  All-zero bytes are a valid beginning.
struct SearchBlock {
  alignas(64) std::atomic<std::uint64_t> next_index;
  alignas(64) std::atomic<std::uint64_t> stop_at;  ///< runs from here on are not wanted
  ResultRing results;

  /// Gives the worker its next run, when there is room for the result; nothing if none is wanted.
  std::optional<std::uint64_t> take(std::uint32_t worker) {
    for (;;) {
      std::uint64_t index = next_index.load();
      if (index >= stop_at.load()) return std::nullopt;
      if (!results.has_room_for(index)) {
        usleep(100);
        continue;
      }
      const bool is_ours = results.claim(index, worker);
      // Also for another, who may have been killed between the two.
      std::uint64_t expected = index;
      next_index.compare_exchange_strong(expected, index + 1);
      if (is_ours) return index;
    }
  }
  /// The lowest failing run ends a search: those above need not be done.
  void lower_stop(std::uint64_t index) {
    std::uint64_t now = stop_at.load();
    while (index < now && !stop_at.compare_exchange_weak(now, index)) {
    }
  }
  /// Hands out no more runs; those that are handed out will be finished.
  void hand_out_no_more() { lower_stop(next_index.exchange(no_index)); }

  static constexpr std::uint64_t no_index = UINT64_MAX >> 17U;  // fits a claim
};

/// One worker's own part.  All-zero bytes are a valid beginning.
struct WorkerBlock {
  enum class State : std::uint32_t { working = 0, wants_replacement, finished, gave_up };
  std::uint64_t first_plus_one;             ///< a run to do before all others; 0: none
  std::atomic<std::uint64_t> run_plus_one;  ///< the run that is being done; 0: none
  std::atomic<bool> is_walk_moving;         ///< the run is done, the walk goes to its next one
  std::atomic<std::uint64_t> runs_begun;    ///< the parent's watchdog looks whether it moves
  std::atomic<State> state;
  CrashReport crash;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace orrery::detail
