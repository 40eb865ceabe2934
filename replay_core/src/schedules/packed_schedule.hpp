// A run written down in little memory, for whoever may have to do it again.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/address_table.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Keeps what `ScheduleRecorder` keeps, mostly in 8 bytes a step in place of 24: runs that nobody
/// does again pay for the memory that they touch.
class PackedSchedule {
 public:
  PackedSchedule();
  [[nodiscard]] static EventMask interest() { return EventMask::steps() | EventMask::choices(); }
  void clear();
  void on_step(const Alternative& taken) {
    const std::uint64_t task = taken.id.task.value;
    if (task >= last_numbers_.size() && !has_room_for(taken.id.task)) {
      return put_whole(ScheduleEntry::step(taken));
    }
    const std::uint64_t ahead = taken.id.number - last_numbers_[task] + ahead_bias;
    last_numbers_[task] = taken.id.number;
    // Objects of the machine's own have a creator that is no task: 0.
    const std::uint64_t creator = taken.object.creator.value + 1U;
    const std::uint64_t number = taken.object.number;
    if ((creator >> task_bits | number >> object_bits | ahead >> ahead_bits) != 0) {
      return put_whole(ScheduleEntry::step(taken));
    }
    put(((((task << task_bits | creator) << object_bits | number) << ahead_bits | ahead)
         << kind_bits) |
        static_cast<std::uint64_t>(taken.kind));
  }
  void on_choice(const ChoicePoint& point, std::size_t index) {
    if (point.kind == ChoiceKind::step) return;
    put_whole(ScheduleEntry::question(point.kind, point.asker, point.alternatives[index].id));
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer);
  [[nodiscard]] Schedule schedule() const;

 private:
  // Of a step in one word, from the highest bit on: 0, task, creator of the object, its number, how
  // far the operation's number is ahead of the task's last one, kind.
  static constexpr unsigned task_bits = 14;
  static constexpr unsigned object_bits = 22;
  static constexpr unsigned ahead_bits = 7;
  static constexpr unsigned kind_bits = 6;
  static_assert(1 + 2 * task_bits + object_bits + ahead_bits + kind_bits == 64);
  static_assert(static_cast<unsigned>(OperationKind::count_) <= 1U << kind_bits);
  /// A step of a message has the number of its send: it may lie behind.
  static constexpr std::uint32_t ahead_bias = 1U << (ahead_bits - 1);
  /// In place of a step: an entry follows as it is.
  static constexpr std::uint64_t whole_entry = std::uint64_t{1} << 63U;
  static constexpr std::uint64_t entry_words = sizeof(ScheduleEntry) / sizeof(std::uint64_t);

  /// Is there a word for it, now at least?
  [[nodiscard]] bool has_room_for(TaskId task);
  void put(std::uint64_t word) {
    if (next_ == capacity_) make_room();
    words_[next_++] = word;
  }
  void put_whole(const ScheduleEntry& entry);
  void make_room();

  LazyMemory memory_;  ///< nothing of it is cleared
  std::uint64_t* words_;
  std::uint64_t next_ = 0;
  std::uint64_t capacity_;
  std::uint64_t last_clock_ = 0;             ///< behind the entry of a clock, if that is the last
  std::vector<std::uint32_t> last_numbers_;  ///< by task: of its last step
};

}  // namespace orrery::detail
