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

/// The content of a block `logged_messages`; messages with much content are in parts, so that no
/// block is too large.
[[nodiscard]] std::vector<std::vector<std::byte>> encode_logged_messages(
    std::span<const LoggedMessage> messages);

/// Reads these blocks, in their order.
class IntervalsReader {
 public:
  void take_boundary(std::span<const std::byte> content, std::string_view where);
  void take_logged(std::span<const std::byte> content, std::string_view where);
  [[nodiscard]] CheckpointedRun run() const;

 private:
  std::map<IntervalId, Interval> intervals_;
  std::vector<LoggedMessage> logged_;
  AppendedRecords records_;
};

}  // namespace orrery::detail
