// What the open calls of message-passing tasks came to: what is kept of a run where the order of
// all steps is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// Of one task (of an MPI program: the first thread of a rank), what its calls came to that could
/// have come to something else, in program order.  Whoever runs the task again and answers these
/// calls so gets the same run of it, if the others do the same.  A value type.
struct OpenCalls {
  /// Nobody: a receive that was cancelled, that was not complete when the run ended, or a poll that
  /// found nothing.
  static constexpr std::int32_t nobody = -1;

  /// Which of several requests a call for any or for some of them has reported.
  struct Selection {
    std::uint32_t among = 0;              ///< how many active requests it was about; at least two
    std::vector<std::uint32_t> reported;  ///< counted among these from 0, ascending
    friend bool operator==(const Selection&, const Selection&) = default;
  };

  TaskId task;
  /// For each receive and each probe that is kept, in the order in which they began (a poll that
  /// fails begins nothing): the rank in the whole job whose message it took or saw.
  std::vector<std::int32_t> sources;
  /// Polls (`MPI_Test*`, `MPI_Iprobe`, `MPI_Improbe`; what has a deadline counts as one, which
  /// fails if the deadline wins), in runs: how many failed before each one that succeeded.
  std::vector<std::uint64_t> failed_polls;
  std::uint64_t last_failed_polls = 0;  ///< that were followed by no success
  std::vector<Selection> selections;    ///< of polls that succeeded, and of waits
  std::vector<bool> cancellations;      ///< for each cancelled request: was it in time?

  [[nodiscard]] bool is_empty() const;
  /// What came later, of the same task.
  void append(const OpenCalls& later);
  friend bool operator==(const OpenCalls&, const OpenCalls&) = default;
};

/// The content of a block `open_calls`, and back: an adaptive arithmetic code, whose models learn
/// from one task to the next.  A source among two ranks that take turns costs next to nothing.
/// `where` names the source in errors; decoding throws `UsageError` for bytes that were not made
/// so.
[[nodiscard]] std::vector<std::byte> encode_open_calls(std::vector<OpenCalls> tasks);
[[nodiscard]] std::vector<OpenCalls> decode_open_calls(std::span<const std::byte> bytes,
                                                       std::string_view where = "open_calls");

}  // namespace orrery
