// Checkpoints and domino messages in a log, as they come while the run goes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/log.hpp>

#include "kept_records.hpp"

namespace orrery::detail {

/// What is written where an interval ends, or begins, or (of most) both: a block `interval`.  The
/// new records of all tasks follow in it, also where there is neither.
struct IntervalBoundary {
  /// The one before, without its `begin`; nothing: none was.
  std::optional<Interval> before;
  IntervalId id;                          ///< of the one that begins; or that would have
  std::optional<CheckpointState> begins;  ///< nothing: the rank, or the run, is over
};

void write_boundary(ByteWriter& writer, const IntervalBoundary& boundary);

/// Reads these blocks, in their order, and those of logged messages between them.
class IntervalsReader {
 public:
  void take_boundary(std::span<const std::byte> content, std::string_view where);
  void take_logged(std::vector<std::byte> content, std::string where) {
    logged_.append(std::move(content), std::move(where));
  }
  [[nodiscard]] CheckpointedRun run() const;

 private:
  std::map<IntervalId, Interval> intervals_;
  LoggedMessages logged_;
  AppendedRecords records_;
};

}  // namespace orrery::detail
