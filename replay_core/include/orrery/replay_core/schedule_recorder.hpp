// Writes down a run while it happens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/address_table.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Watches a run and keeps its schedule.  A step costs a store of 24 bytes and of a count.
///
/// Given memory that another process maps too, it leaves a schedule there that outlives a crash of
/// this one: an entry counts once it is written whole.  Zeroed memory holds an empty schedule.
///
///     orrery::ScheduleRecorder recorder;
///     orrery::Observer* observers[] = {&recorder};
///     simulation.run(program, chooser, observers);
///     orrery::Schedule schedule = recorder.schedule();
class ScheduleRecorder final : public Observer {
 public:
  /// Into a buffer of its own, which grows.
  ScheduleRecorder();
  /// Into `memory`, aligned to 8 bytes, which must outlive the recorder.  When it is full the rest
  /// of the run is only counted (`Schedule::entries_lost`).  Throws `UsageError` if there is no
  /// room for a single entry.
  explicit ScheduleRecorder(std::span<std::byte> memory);

  /// How much memory a recording of so many entries needs.
  static constexpr std::size_t bytes_for(std::size_t entries) {
    return sizeof(Header) + entries * sizeof(ScheduleEntry);
  }

  /// The present or last run so far.
  [[nodiscard]] Schedule schedule() const;
  /// The same without a copy; valid until the next entry.
  [[nodiscard]] std::span<const ScheduleEntry> entries() const;
  /// How many entries there was no room for; 0: nothing is missing.
  [[nodiscard]] std::uint64_t entries_lost() const;
  /// What a recorder, maybe of a process that has died, left in `memory`.
  [[nodiscard]] static Schedule read(std::span<const std::byte> memory);

  void begin_run(const RunInfo&) override { clear(); }
  [[nodiscard]] EventMask interest() const override {
    return EventMask::steps() | EventMask::choices();
  }
  void on_step(const Alternative& taken) override { put(ScheduleEntry::step(taken)); }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    if (point.kind == ChoiceKind::step) return;
    put(ScheduleEntry::question(point.kind, point.asker, point.alternatives[index].id));
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    if (question.kind == ChoiceKind::fault && answer == question.low) return;
    const auto entry = ScheduleEntry::draw(question.kind, question.asker, answer);
    if (entry.is_clock() && is_repeated(entry)) return;
    put(entry);
  }

 private:
  struct Header {
    std::atomic<std::uint64_t> count;
    std::atomic<std::uint64_t> lost;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  void put(const ScheduleEntry& entry) {
    if (__builtin_expect(next_ == capacity_, 0) && !make_room()) return;
    entries_[next_] = entry;
    ++next_;
    header_->count.store(next_, std::memory_order_release);
  }
  /// Counts a look at the clock that says what the last one said: a program that asks again and
  /// again until it is time would fill the memory.
  bool is_repeated(const ScheduleEntry& clock);
  void clear();
  bool make_room();

  Header own_header_{};
  detail::LazyMemory own_entries_;  ///< as large as needed; nothing of it is cleared
  Header* header_;
  ScheduleEntry* entries_;
  std::uint64_t next_ = 0;
  std::uint64_t capacity_;
};

}  // namespace orrery
