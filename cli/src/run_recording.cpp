#include "run_recording.hpp"

#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "files.hpp"

namespace orrery::cli {

void RecordingFlags::declare(Flags& flags) {
  flags.text("--record", path_, "FILE", "save the run");
  flags.text("--method", method_, "NAME", "how to record: see orrery list recorders");
  checkpoints_.declare(flags);
}

void RecordingFlags::check() const {
  if (method_ && !path_) {
    throw UsageError("a method without a file to record to", "--method", "add --record FILE");
  }
  if (method_) static_cast<void>(recorder_kind(*method_));
  checkpoints_.check(method_, path_);
  if (path_) check_can_write(*path_, "--record");
}

RunRecording::RunRecording(const RecordingFlags& flags, const FoundProgram& program,
                           Description description)
    : flags_(flags), description_(std::move(description)) {
  if (!flags.path()) return;
  if (flags.follows_messages()) recorder_ = recorder_kind(flags.method()).make_recorder();
  checkpoints_ = flags.checkpoints().request(program, *flags.path(), flags.method());
  if (!checkpoints_) return;
  log_.emplace(*flags.path(), description_({}, flags.method()));
  checkpoints_->keep = [this](const RecordedBlock& block) { log_->append(block); };
}

void RunRecording::record(IsolatedRun& request) {
  request.keeps_schedule |= flags_.path() && recorder_ == nullptr;
  request.recorder = recorder_.get();
  request.checkpoints = checkpoints_ ? &*checkpoints_ : nullptr;
}

void RunRecording::save(const IsolatedResult& result) {
  if (!flags_.path()) return;
  const std::vector<Finding>& findings = result.outcome.findings;
  const std::string& path = *flags_.path();
  const std::string method = flags_.method();
  if (recorder_ == nullptr) {
    return save_run(path, description_(findings, method), schedule_blocks(result.schedule));
  }
  if (!result.blind_spot.empty()) {
    if (log_) {
      log_->discard();
      refuse_parts(checkpoints_->images.has_value(), result.blind_spot);
    }
    throw UsageError(
        fmt::format("the method '{}' follows messages only, but {}", method, result.blind_spot),
        "--method", "use the method 'choices'");
  }
  if (log_) {
    // The intervals have records, up to where a run has died.
    const bool has_others = result.has_records && !is_kept_in_intervals(method);
    const bool is_of_intervals = !has_others && !is_kept_in_intervals(method);
    const SavedRun run = description_(findings, is_of_intervals ? "wildcards" : method);
    const std::vector<RecordedBlock> none;
    return log_->finish(run, has_others ? result.records : none);
  }
  if (!result.has_records) {
    throw UsageError("the run has died so that what was recorded is lost", path,
                     "use the method 'choices'");
  }
  save_run(path, description_(findings, method), result.records);
}

}  // namespace orrery::cli
