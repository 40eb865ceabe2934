// What clocks say, and what is drawn, in a replay of a run on a real machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/rank_readings.hpp>
#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// Gives the readings of a log out again, in their order.
class ReadingsReplay {
 public:
  /// The readings must outlive the run.
  void begin(const std::vector<RankReadings>& readings);
  /// The answer for that task of the log's; nothing: the log has none.  A clock goes on from its
  /// last date, with the clock of the replay.
  [[nodiscard]] std::optional<std::uint64_t> answer(TaskId task, const ValueQuestion& question);

 private:
  struct Clock {
    std::size_t run = 0;      // of those in the log
    std::uint64_t taken = 0;  // of that run
    std::int64_t date_ns = 0;
    std::uint64_t own_date = 0;  // of the replay's clock, at that date
  };
  struct Cursor {
    const RankReadings* readings = nullptr;
    std::array<Clock, clock_kinds> clocks;
    std::size_t draw = 0;
  };
  static std::optional<std::uint64_t> read_clock(Cursor& cursor, const ValueQuestion& question);

  std::unordered_map<std::uint32_t, Cursor> cursors_;  // by task
};

}  // namespace orrery::detail
