// What the tasks of a run have read off clocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// A date that a task was told, and how many more times it was told the same.
struct ClockReading {
  TaskId task;
  std::uint32_t repeats = 0;
  std::uint64_t date = 0;
};

/// Tells each task what it was told, in the order of its own looks: real clocks go on where a
/// simulated one stands still, and programs go by that.
class RecordedClocks {
 public:
  explicit RecordedClocks(std::span<const ClockReading> readings) {
    for (const ClockReading& reading : readings) tapes_[reading.task].readings.push_back(reading);
  }

  /// `now`: what it is told when it has had all of them, but no date before those.
  [[nodiscard]] std::uint64_t read(TaskId task, std::uint64_t now) {
    Tape& tape = tapes_[task];
    if (tape.next == tape.readings.size()) return std::max(now, tape.last);
    const ClockReading& reading = tape.readings[tape.next];
    if (tape.repeats++ == reading.repeats) {
      tape.repeats = 0;
      ++tape.next;
    }
    return tape.last = reading.date;
  }

 private:
  struct Tape {
    std::vector<ClockReading> readings;
    std::size_t next = 0;
    std::uint32_t repeats = 0;  ///< of the next one, that it was told already
    std::uint64_t last = 0;
  };
  std::map<TaskId, Tape> tapes_;
};

}  // namespace orrery::detail
