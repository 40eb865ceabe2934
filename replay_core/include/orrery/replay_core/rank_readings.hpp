// What the ranks of a real MPI job read off clocks, and drew from the system's sources of chance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/clock_kinds.hpp>
#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// Of one rank, whose first thread asked, in its order.  There is no telling which operation of a
/// real run a date was read by; but a rank that is run again asks the same clocks as often.  A
/// value type.
struct RankReadings {
  /// So many dates, each later than the one before by `step_ns`; the first one of a clock is
  /// counted from its origin (`ClockOrigins`).
  struct Steps {
    std::int64_t step_ns = 0;
    std::uint64_t count = 0;
    friend bool operator==(const Steps&, const Steps&) = default;
  };

  TaskId task;
  std::array<std::vector<Steps>, clock_kinds> clocks;  ///< by `ClockKind`; none of `inner`
  std::vector<std::uint64_t> draws;

  [[nodiscard]] bool is_empty() const;
  /// How many dates were read.
  [[nodiscard]] std::uint64_t date_count() const;
  /// What came later, of the same task.
  void append(const RankReadings& later);
  friend bool operator==(const RankReadings&, const RankReadings&) = default;
};

/// The content of a block `clock_reads`, and back.  `where` names the source in errors; decoding
/// throws `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_readings(std::span<const RankReadings> ranks);
[[nodiscard]] std::vector<RankReadings> decode_readings(std::span<const std::byte> bytes,
                                                        std::string_view where = "clock_reads");
/// The same in parts that each fit into a block.
[[nodiscard]] std::vector<std::vector<std::byte>> readings_blocks(
    std::span<const RankReadings> ranks);

}  // namespace orrery
