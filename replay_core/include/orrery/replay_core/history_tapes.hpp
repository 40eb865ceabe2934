// What the method `instant-replay` keeps: for each task which version of an object each of its
// accesses has met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/operation.hpp>

namespace orrery {

/// One access of a task to an object that others can reach.  A version of an object lasts from one
/// write to the next.
struct TapeEntry {
  /// The step: an operation, or `timeout`.  `none`: belongs to the step of the entry before, and is
  /// about the mutex which that wait gives up.
  OperationKind kind = OperationKind::none;
  bool writes = false;        ///< it changes the object
  std::uint32_t object = 0;   ///< the task's how many-th object, counted from 0: no other name
  std::uint64_t version = 0;  ///< how many writes came before
  std::uint64_t readers = 0;  ///< of a write: how often the version was read that it ends
  /// Polls in a row that came to the same: how many before this one.  It is the last one's version.
  std::uint32_t repeats = 0;
  friend bool operator==(const TapeEntry&, const TapeEntry&) = default;
};

/// The tape of one task.  A value type.
struct HistoryTape {
  /// Who started the task: the tapes form a tree, and a task is its starter's first, second, and so
  /// on.  Nobody: it was there at the beginning.
  std::optional<TaskId> starter;
  std::uint32_t steps = 0;  ///< that the task has done, texts written not counted
  bool has_ended = false;   ///< by returning; otherwise the run ended before
  std::vector<TapeEntry> entries;
  /// Whom its notifications woke: how many had slept for longer, each time there were several.
  std::vector<std::uint32_t> woken;
  friend bool operator==(const HistoryTape&, const HistoryTape&) = default;
};

/// The content of a block `history_tapes`, and back: an adaptive arithmetic code of the steps from
/// one version to the next.  The tapes are those of all tasks, in the order in which these came to
/// be.  `where` names the source in errors; decoding throws `UsageError` for bytes that were not
/// made so.
[[nodiscard]] std::vector<std::byte> encode_tapes(std::vector<HistoryTape> tapes);
[[nodiscard]] std::vector<HistoryTape> decode_tapes(std::span<const std::byte> bytes,
                                                    std::string_view where = "history_tapes");

}  // namespace orrery
