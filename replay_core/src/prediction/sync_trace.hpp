// One run as a method that predicts other runs looks at it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/run_words.hpp>

#include "large_vector.hpp"
#include "order/order_without_locks.hpp"
#include "order/place_table.hpp"

namespace orrery::detail {

/// An event of a trace: the `index`-th of its task.
struct TraceRef {
  std::uint32_t task = 0;
  std::uint32_t index = 0;
  friend constexpr bool operator==(const TraceRef&, const TraceRef&) = default;
};

/// What a task did.
struct TraceEvent {
  enum class Kind : std::uint8_t { read, write, acquire, acquire_shared, release, other };
  Kind kind = Kind::other;
  PlaceNumber place = 0;        ///< of a plain access
  std::uint32_t operation = 0;  ///< that it is, or after which it comes
  std::uint32_t size_bytes = 0;
  std::uint64_t when = 0;     ///< its place in the run
  Address address = 0;        ///< of an access
  std::uint32_t lock = 0;     ///< of an acquire or release: its number
  std::uint32_t release = 0;  ///< of an acquire: the index of the event that gives it back; 0: none
  std::uint32_t first_need = 0;  ///< in the trace's needs
  std::uint32_t needs = 0;
  std::uint32_t knows = 0;  ///< which of what its task knew of others
  [[nodiscard]] bool is_access() const { return kind == Kind::read || kind == Kind::write; }
};

/// Watches a run, and keeps of each task what it did in order, and of each event which others it
/// cannot come before however the locks are taken: who started its task, the write that a read
/// saw, the atomics, messages, barriers and the like that it followed.
class SyncTrace final : public Observer {
 public:
  /// More events than that are not kept: the trace is then the run's beginning.
  static constexpr std::size_t events_max = 4'000'000;

  void begin_run(const RunInfo&) override { clear(); }
  [[nodiscard]] EventMask interest() const override;
  void on_event(const Event& event) override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  /// That a task's operation is taken: some are, and nobody hears of an event.
  void on_step(const Alternative& taken) override;
  void clear();

  [[nodiscard]] std::size_t task_count() const { return tasks_.size(); }
  [[nodiscard]] const LargeVector<TraceEvent>& events_of(std::uint32_t task) const {
    return tasks_[task];
  }
  [[nodiscard]] const TraceEvent& at(TraceRef ref) const { return tasks_[ref.task][ref.index]; }
  [[nodiscard]] std::span<const TraceRef> needs_of(const TraceEvent& event) const {
    return std::span(needs_).subspan(event.first_need, event.needs);
  }
  [[nodiscard]] std::size_t lock_count() const { return lock_numbers_.size(); }
  /// The accesses to eight bytes of memory each, or to one variable; those of a task that differ in
  /// nothing that matters are in it once.
  [[nodiscard]] const std::vector<std::vector<TraceRef>>& words() const { return accesses_; }
  [[nodiscard]] const PlaceTable& places() const { return places_; }
  [[nodiscard]] bool is_cut() const { return event_count_ >= events_max; }
  /// Does it follow however the locks are taken?  False is no promise that it need not: a read may
  /// have to see what was written.
  [[nodiscard]] bool always_follows(TraceRef later, TraceRef earlier) const;
  /// The variable of the C++ API that an access has as its address; none: it is memory.
  [[nodiscard]] ObjectId variable_at(Address address) const;

 private:
  static constexpr Address word_bytes = 8;
  static constexpr Address first_variable = Address{1} << 48U;
  static constexpr std::size_t known_counts_max = 100'000'000;
  /// How far back one like it is looked for, which would make it superfluous.
  static constexpr std::size_t repetition_distance_max = 64;

  LargeVector<TraceEvent>& task_at(TaskId task);
  TraceEvent& add(TaskId task, TraceEvent::Kind kind, std::uint32_t operation);
  void need(TraceEvent& event, TraceRef ref);
  void access(TaskId task, Address address, std::uint32_t size_bytes, bool writes,
              PlaceNumber place, std::uint32_t operation);
  [[nodiscard]] std::uint32_t word_at(Address address);
  void access_word(TaskId task, std::uint32_t index, Address first, Address last);
  void lock(const Event& event, bool shared);
  void unlock(TaskId task, ObjectId lock, std::uint32_t operation);
  void synchronise(const Event& event);
  void note_operation_under_way(TaskId task);
  void note_epochs(std::uint32_t task);
  void learn(TaskId task, std::span<const std::uint32_t> counts);
  [[nodiscard]] std::uint32_t number_of_lock(ObjectId lock);

  struct Hold {
    std::uint32_t count = 0;
    std::uint32_t acquire = 0;
  };
  struct LastWrites {
    std::array<TraceRef, word_bytes> of;
    std::array<bool, word_bytes> are_known{};
  };

  std::vector<LargeVector<TraceEvent>> tasks_;
  LargeVector<TraceRef> needs_;
  std::size_t event_count_ = 0;
  std::uint64_t now_ = 0;
  OrderWithoutLocks order_;
  std::vector<std::vector<std::uint32_t>> epoch_ends_;  ///< by task and epoch, less one: its events
  /// By task, as they followed: of how many events of each other task it knew.
  std::vector<std::vector<std::vector<std::uint32_t>>> known_;
  std::size_t known_counts_ = 0;
  std::vector<std::uint32_t> operations_;  ///< by task: its last one
  std::vector<std::uint32_t> stretches_;   ///< by task: its last event but accesses
  std::map<ObjectId, std::uint32_t> lock_numbers_;
  std::map<std::pair<TaskId, ObjectId>, Hold> holds_;
  std::map<ObjectId, TraceRef> atomics_;  ///< who wrote it last
  RunWords<std::uint32_t> words_;         ///< numbers from 1 on
  std::vector<LastWrites> last_writes_;
  std::vector<std::vector<TraceRef>> accesses_;
  std::vector<ObjectId> variables_;
  std::vector<std::uint32_t> variable_words_;
  std::map<ObjectId, Address> variable_addresses_;
  PlaceTable places_;
};

}  // namespace orrery::detail
