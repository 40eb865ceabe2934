// What the process of an interval and the command that has restored it say to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/intervals.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/outside.hpp>

namespace orrery::detail {

/// What a frame is about; its content follows.
enum class FrameKind : std::uint32_t {
  setup,    ///< to the process, first of all: `IntervalSetup`
  more,     ///< to the process: messages, or none if none are to come
  sent,     ///< messages to other ranks
  waiting,  ///< nothing can go on without a message
  output,   ///< a byte for the stream, then text
  done,     ///< the interval has come to its end: `IntervalEnd`
  over,     ///< the run has ended within it: a `Finding`
  refused,  ///< it cannot begin: a `UsageError`
  died,     ///< the process dies: a `CrashReport`, as it stands in memory
};

struct Frame {
  FrameKind kind = FrameKind::over;
  std::vector<std::byte> content;
};

/// Both throw `UsageError` if the other end is gone; `read_frame` gives nothing at its orderly end.
void write_frame(int descriptor, FrameKind kind, std::span<const std::byte> content);
[[nodiscard]] std::optional<Frame> read_frame(int descriptor);

/// Reads as much as there is, many frames at once.
class FrameReader {
 public:
  /// The next one, waiting for it; as `read_frame`.
  [[nodiscard]] std::optional<Frame> next(int descriptor);
  /// Is a whole one there already?
  [[nodiscard]] bool has_next() const;

 private:
  std::vector<std::byte> heard_;
  std::size_t begin_ = 0;  ///< what comes before has been given
};

/// What a restored process has to know: what came after its image was saved.
struct IntervalSetup {
  IntervalId id;
  OperationId end;          ///< where to stop; none, {0, 0}: where the rank ends, or the run did
  bool is_last = false;     ///< the rank ends there
  bool tells_sends = true;  ///< another interval may need them
  /// Of the rank's helpers: where they stood at the end.
  std::vector<TaskProgress> helpers;
  std::vector<TaskId> started;  ///< tasks of the rank that come to be, in order
  /// Which rank each task works for.
  std::vector<std::int32_t> ranks;
  /// The operations that began receives of the rank which were cancelled before they got anything.
  std::vector<OperationId> withdrawn;
  MessageRecords records;  ///< of the whole run
  friend bool operator==(const IntervalSetup&, const IntervalSetup&) = default;
};

struct IntervalEnd {
  std::uint64_t memory_hash = 0;
  std::uint64_t event_hash = 0;
  std::uint64_t events = 0;
  friend bool operator==(const IntervalEnd&, const IntervalEnd&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const IntervalSetup& setup);
[[nodiscard]] IntervalSetup decode_setup(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> encode_output(int stream, std::string_view text);
/// One after the other, in as many parts as one likes.
void append(const OutsideMessage& message, std::vector<std::byte>& to);
[[nodiscard]] std::vector<std::byte> encode(std::span<const OutsideMessage> messages);
[[nodiscard]] std::vector<OutsideMessage> decode_messages(std::span<const std::byte> bytes);
/// Of the stacks of its places nothing, and no status.
[[nodiscard]] std::vector<std::byte> encode(const Finding& finding);
[[nodiscard]] Finding decode_finding(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> encode(const UsageError& error);
[[nodiscard]] UsageError decode_error(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> encode(const IntervalEnd& end);
[[nodiscard]] IntervalEnd decode_end(std::span<const std::byte> bytes);

}  // namespace orrery::detail
