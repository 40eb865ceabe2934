// One run in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/history_tapes.hpp>
#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/run_settings.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>

namespace orrery {

/// Everything that it takes to see a run again.  A value type.
///
///     orrery::save_run("bug.orr", {program, RunSettings::of(options), findings, schedule});
///     const orrery::SavedRun run = orrery::load_run("bug.orr");
struct SavedRun {
  ProgramInfo program;
  RunSettings settings;
  std::vector<Finding> findings;  ///< what the run came to; their places have no function names
  Schedule schedule;
  bool is_whole = true;                 ///< false: read from what a crash left behind
  std::string why_cut;                  ///< where reading stopped, and why, if it is not whole
  ProgramInputs inputs = {};            ///< of an unchanged program; nothing of others
  std::string method{schedule_method};  ///< by which it was recorded
  MessageRecords messages = {};         ///< of methods that follow messages; then no schedule
  std::vector<HistoryTape> tapes = {};  ///< of `instant-replay`, by task
  LamportRecords stamps = {};           ///< of `lamport-order`, with answers in `messages`
  AccessRecords accesses = {};          ///< of `leap`, `global-writes` and `stride`, likewise
  bool is_real = false;  ///< of a real machine, which tells of a finding only how ranks ended
  std::optional<CheckpointedRun> checkpoints = {};  ///< of a run with `--checkpoint-every`
  Limit limit = Limit::none;  ///< that ended the run; logs of before do not say
};

/// Writes a log of the method `choices`.  A file of that name stays whole until the new one is.
/// Throws `UsageError` if it cannot be written; then nothing is left behind.
void save_run(const std::string& path, const SavedRun& run);
/// The same with what the recorder of `run.method` has kept.
void save_run(const std::string& path, const SavedRun& run, std::span<const RecordedBlock> records);

/// The log of a run, written while the run goes; what a crash leaves behind can be read.
///
///     orrery::RunLog log("bug.orr", run);  // program and settings
///     log.append(block);                   // as often as something is known
///     log.finish(run, records);            // all the rest
///
/// Throws as `LogWriter` does, and then leaves what is there.
class RunLog {
 public:
  RunLog(const std::string& path, const SavedRun& run);
  void append(const RecordedBlock& block) { log_.append(block.kind, block.content); }
  void finish(const SavedRun& run, std::span<const RecordedBlock> records);
  void discard() { log_.discard(); }
  [[nodiscard]] const std::string& part_path() const { return log_.part_path(); }

 private:
  LogWriter log_;
};

/// Reads one.  A log that was cut while checkpoints were being written is one of the method
/// `wildcards`, whatever it was to become.  Throws `UsageError` with the offset, as `read_log`
/// does, and for a log without the blocks that a replay needs.
[[nodiscard]] SavedRun load_run(const std::string& path, LogExtent extent = LogExtent::whole);
[[nodiscard]] SavedRun load_run(Log log);

/// A schedule, in as many blocks as it takes.
[[nodiscard]] std::vector<RecordedBlock> schedule_blocks(const Schedule& schedule);

}  // namespace orrery
