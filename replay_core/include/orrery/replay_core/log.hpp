// The container that logs come in: blocks with checksums, a beginning and an end.
//
// docs/log-format.md has the format to the byte.  Reader and writer live side by side in log.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/program_info.hpp>

namespace orrery {

/// What a block holds.  The numbers are part of the format: new kinds go to the end.
enum class BlockKind : std::uint8_t {
  program = 1,           ///< `ProgramInfo`; always the first
  run = 2,               ///< `RunSettings`
  findings = 3,          ///< what the run came to
  choices = 4,           ///< records of the method `choices`: a part of a `Schedule`
  inputs = 5,            ///< a part of the files and the standard input that the program has read
  open_calls = 6,        ///< what the open calls of message-passing tasks came to: `OpenCalls`
  method = 7,            ///< the name of the method, a text; a log without it is one of `choices`
  traced_messages = 8,   ///< which receive took which message: `TracedMessage`
  answers = 9,           ///< to questions of the run that are about no message: `Answers`
  remote_calls = 10,     ///< in which order calls of other ranks were answered: `RemoteCalls`
  clock_reads = 12,      ///< what ranks of a real run read off clocks, and drew: `RankReadings`
  real_run = 13,         ///< what a log from a real machine lacks: `RealRun`
  interval = 14,         ///< where an interval of a rank ends, and the next begins: `Interval`
  logged_messages = 15,  ///< messages with their contents: `LoggedMessage`
  lamport_stamps = 16,   ///< time stamps of synchronisation operations: `LamportRecords`
  history_tapes = 17,    ///< which versions of objects each task has met: `HistoryTape`
  shared_accesses = 18,  ///< who came to shared variables, in which order: `AccessRecords`
  thread_stamps = 24,    ///< the same of real threads, as the C library saw them
  limit = 25,            ///< at which limit the run was ended, if at one: a byte, `Limit`
  end = 255,             ///< says that nothing is missing; always the last
};
/// `program`, `run`, ...; empty for numbers that have no meaning yet.
[[nodiscard]] std::string_view name(BlockKind kind);

/// May a reader that does not know the kind of a block pass over it?
enum class BlockNeed : std::uint8_t { required, optional };

/// One block of a log that was read.
struct LogBlock {
  BlockKind kind = BlockKind::end;
  BlockNeed need = BlockNeed::required;
  std::uint64_t offset = 0;  ///< in the file, of its first byte
  std::vector<std::byte> content;
};

/// Version of the format that this code writes, and the only one that it reads.  Bumped when
/// another version's reader would misunderstand a file; not for new blocks, which it refuses or
/// passes over.
inline constexpr std::uint16_t log_version = 5;
/// No block has more content than this: a bound on what a damaged file can make a reader reserve.
inline constexpr std::size_t log_block_bytes_max = std::size_t{64} << 20U;

/// Writes a log.  The blocks go to `FILE.part`; `finish` writes the end, waits for the disk and
/// renames.  Until then a file of that name stays as it was.  Not thread-safe.
///
///     orrery::LogWriter log("bug.orr", program);
///     log.append(orrery::BlockKind::choices, orrery::encode_schedule(schedule));
///     log.finish();
///
/// All members throw `UsageError` with the path and the system's reason where a file cannot be
/// written.  What a crash leaves behind (and a writer that is destroyed before `finish`) is a
/// `.part` whose valid prefix can be read.
class LogWriter {
 public:
  LogWriter(std::string path, const ProgramInfo& program);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Appends one block; `content` has at most `log_block_bytes_max` bytes.
  void append(BlockKind kind, std::span<const std::byte> content,
              BlockNeed need = BlockNeed::required);
  void finish();
  /// Gives up: takes the `.part` away.  For logs that can be written again.
  void discard();
  /// Where the log is until `finish`: `FILE.part`.
  [[nodiscard]] const std::string& part_path() const { return part_path_; }

 private:
  void write(std::span<const std::byte> bytes);
  void append_any(std::uint8_t kind, std::uint8_t flags, std::span<const std::byte> content);
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::string path_;
  std::string part_path_;
  int file_ = -1;
  std::uint64_t offset_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t checksum_ = 0;  // of the block before: each goes on from the one before it
};

/// How much of a log has to be there.
enum class LogExtent : std::uint8_t {
  whole,         ///< it was finished
  valid_prefix,  ///< as many blocks as are good: what a crash left behind
};

/// A log that was read: its program and the other blocks, in order, all known.  A value type.
struct Log {
  std::string path;
  std::uint16_t version = log_version;
  ProgramInfo program;
  std::vector<LogBlock> blocks;  ///< without `program` and `end`
  bool is_whole = true;
  std::string why_cut;  ///< where and why reading stopped, if it is not whole

  /// `bug.orr, block run at byte 214`: for errors.
  [[nodiscard]] std::string where(const LogBlock& block) const;
};

/// Reads a log.  Throws `UsageError` naming the offset for a file that is missing, not a log, from
/// a newer version, cut, damaged, or that holds a block which is needed and unknown.
[[nodiscard]] Log read_log(const std::string& path, LogExtent extent = LogExtent::whole);
/// The same for a log in memory; `path` names it in errors.
[[nodiscard]] Log read_log(std::span<const std::byte> bytes, const std::string& path,
                           LogExtent extent = LogExtent::whole);

}  // namespace orrery
