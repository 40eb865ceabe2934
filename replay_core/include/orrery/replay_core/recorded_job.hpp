// What the ranks of a real MPI job have left while they were recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/open_calls.hpp>
#include <orrery/replay_core/rank_readings.hpp>
#include <orrery/replay_core/rank_spool.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>

namespace orrery {

/// The class of a finding that says that somebody else has ended the program.
inline constexpr std::string_view ended_from_outside = "from outside";

/// How a signal has ended a process, as far as it could tell.  A value type.
struct RecordedDeath {
  std::int32_t signal = 0;
  bool is_own = false;             ///< it has sent that to itself
  std::string assertion;           ///< what a failed `assert` has said; empty: none has failed
  std::vector<SourceFrame> stack;  ///< the program's own functions
};

/// One rank.  A value type.
struct RecordedRank {
  std::uint32_t rank = 0;
  bool is_there = false;  ///< false: it has left no file, so nothing is known of it
  OpenCalls calls;
  rank_spool::Cut cut = rank_spool::Cut::none;
  std::int32_t system_error = 0;  ///< of `Cut::disk`
  std::uint32_t uses = 0;         ///< bits of `rank_spool::Use`
  rank_spool::End end = rank_spool::End::unknown;
  std::int32_t end_value = 0;               ///< a status, a signal, or what MPI_Abort was given
  std::optional<std::int32_t> exit_status;  ///< after MPI_Finalize
  std::uint64_t end_time_ns = 0;
  std::uint32_t end_thread = 0;  ///< whose doing it was
  std::optional<RecordedDeath> death;
  std::uint64_t program_hash = 0;
  RankReadings readings;
  std::vector<std::uint64_t> withdrawn;  ///< receives, as `counts_started` says
  ClockOrigins clock_origins;
  std::string host_name;                            ///< empty: it has not asked
  std::optional<std::int32_t> process_number;       ///< likewise
  std::optional<std::int32_t> processor_count;      ///< of its machine
  std::optional<std::int32_t> own_processor_count;  ///< that it might run on
  rank_spool::StandardInput standard_input = rank_spool::StandardInput::none;
  /// Has it read that?  Where it could not tell, it may have.
  bool has_read_standard_input = false;
};

/// One thread of a program of threads.  A value type.
struct RecordedThread {
  std::uint32_t number = 0;  ///< in the order in which they came to be
  std::uint32_t starter = 0;
  std::uint64_t handle = 0;         ///< what `pthread_self` gave it
  std::uint64_t system_number = 0;  ///< and `gettid`
  bool has_arena = false;           ///< of that number, for its blocks of memory
  bool are_blocks_told = false;     ///< accesses are recorded, and what is free is accessed, too
  /// As `thread_spool::Header::cancelled_at`.
  std::uint64_t cancelled_at = 0;
  std::uint64_t handlers = 0;  ///< likewise
  LamportRecords::Task stamps;
  RankReadings readings;
};

/// All of them, or a program of threads, as the one rank that it is.  A value type.
struct RecordedJob {
  std::string program_path;  ///< empty: no rank has begun
  std::string build_id;      ///< in hexadecimal; empty: it has none
  std::string directory;
  std::vector<std::string> arguments;
  std::vector<RecordedRank> ranks;      ///< in their order, also those that have left nothing
  std::vector<RecordedThread> threads;  ///< of a program of threads, by number
  /// What these did to memory, where that was asked for.
  std::optional<AccessRecords> accesses;
  std::string_view memory_method;  ///< by which
  std::uint64_t reads = 0;         ///< among these
  std::uint32_t thread_gaps = 0;   ///< bits of `thread_spool::Gap`
  /// Of a program whose atomics nobody has seen: the functions that have such.
  std::vector<std::string> unseen_atomics;
  /// Calls that it has made whose results no log holds, by name.
  std::vector<std::string_view> unseen_calls;
  ProgramInputs inputs;
  bool has_lost_standard_input = false;  ///< a rank has read one that nobody has kept

  [[nodiscard]] bool is_of_threads() const { return !threads.empty(); }
  /// Are its atomics instructions that no library can stand in front of?
  [[nodiscard]] bool lacks_atomics() const;
  /// Do all ranks run the same program with the same arguments?
  [[nodiscard]] bool is_one_program() const;
  /// Has the program done what this way to record cannot?
  [[nodiscard]] bool is_refused() const;
  /// What is missing in the log, a line each: `rank 3: ...`.  Empty: nothing.
  [[nodiscard]] std::vector<std::string> gaps() const;
  /// What the program uses and no record holds, a line each.
  [[nodiscard]] std::vector<std::string> remarks() const;
  /// How the job failed: what the first rank came to that did not end well.  Empty: nobody has.
  /// `command_status`: that of the launcher; if it is not 0, a rank that could tell nothing has.
  [[nodiscard]] std::vector<Finding> findings(int command_status) const;
};

/// Reads the files of a job, which was told to keep inputs so.  Throws `UsageError` for one that is
/// damaged.
[[nodiscard]] RecordedJob read_recorded_job(const std::string& directory,
                                            const InputPolicy& policy = {});

/// The records of one rank.  `is_in_receive` and `failed_polls` are those of the header.  What was
/// read is appended to `readings`, which receives were cancelled to `withdrawn`.
[[nodiscard]] OpenCalls decode_rank_records(std::span<const std::byte> records,
                                            std::uint64_t failed_polls, bool is_in_receive,
                                            std::string_view where,
                                            RankReadings* readings = nullptr,
                                            std::vector<std::uint64_t>* withdrawn = nullptr);

}  // namespace orrery
