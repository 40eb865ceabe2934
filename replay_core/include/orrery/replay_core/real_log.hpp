// Logs of runs on real machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/recorded_job.hpp>
#include <orrery/replay_core/run_settings.hpp>

namespace orrery {

/// What a log of the method `wildcards` says of the real machine: the content of its block
/// `real_run`.  A value type.
struct RealRun {
  std::vector<std::string> gaps;     ///< what is missing, a line each; empty: nothing
  std::vector<std::string> remarks;  ///< what no record holds, a line each
  friend bool operator==(const RealRun&, const RealRun&) = default;
};
[[nodiscard]] std::vector<std::byte> encode_real_run(const RealRun& run);
[[nodiscard]] RealRun decode_real_run(std::span<const std::byte> bytes,
                                      std::string_view where = "real_run");

/// In the events of a real run's `TracedMessage`, which are receives that named their source and
/// were cancelled in time: the rest counts the receives that do not block, and those in
/// `MPI_Sendrecv`, which the program itself has begun, from 0.
inline constexpr std::uint64_t counts_started = std::uint64_t{1} << 62U;

/// One to be written.
struct RealLog {
  RunSettings settings;
  std::vector<Finding> findings;
  const RecordedJob* job = nullptr;
};
/// Writes it, for the program of the job on this machine.  Throws `UsageError` if it cannot be
/// written; then nothing is left behind.
void save_real_log(const std::string& path, const RealLog& log);

/// How much a job has recorded.
struct RecordCounts {
  std::uint64_t sources = 0;
  std::uint64_t polls = 0;  ///< those that failed, too
  std::uint64_t selections = 0;
  std::uint64_t cancellations = 0;
  std::uint64_t dates = 0;  ///< read off clocks
  std::uint64_t draws = 0;
  std::uint64_t stamped = 0;      ///< operations of threads that have stamps
  std::uint64_t stamps_kept = 0;  ///< of these, those that stand in the log
  std::uint64_t stamp_bytes = 0;  ///< of the log
  /// What it has for the rule by objects: records, and bytes besides.
  std::uint64_t objects_kept = 0;
  std::uint64_t object_bytes = 0;
  // Of memory, where that was recorded
  std::uint64_t accesses = 0;
  std::uint64_t reads = 0;          ///< among them
  std::uint64_t switched_off = 0;   ///< places of the program that were not followed
  std::uint64_t without_order = 0;  ///< and those whose writes were in no order
  std::uint64_t variables = 0;      ///< that several threads came to
  std::uint64_t turns = 0;          ///< of threads at variables that stand in the log
  std::uint64_t bounds = 0;         ///< of reads that stand in the log
};
[[nodiscard]] RecordCounts count_records(const RecordedJob& job);

}  // namespace orrery
