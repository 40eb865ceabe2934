#include "run_recording.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "files.hpp"

namespace orrery::cli {

void RecordingFlags::declare(Flags& flags) {
  flags.text("--record", path_, "FILE", "save the run");
  flags.text("--method", method_, "NAME", "how to record: see orrery list recorders");
  checkpoints_.declare(flags);
}

void RecordingFlags::declare_always(Flags& flags) {
  is_new_run_ = true;
  flags.text("--always-record", always_, "DIR",
             "keep the last runs; or for all runs: ORRERY_ALWAYS_RECORD=DIR");
  flags.whole_number("--keep", keep_, "how many of them (10)", 1, KeptRuns::keep_max);
}

std::string RecordingFlags::kept_directory() const {
  if (path_) return {};
  const char* const for_all = is_new_run_ ? std::getenv("ORRERY_ALWAYS_RECORD") : nullptr;
  return always_.value_or(for_all != nullptr ? for_all : "");
}

std::optional<KeptRuns> RecordingFlags::kept_runs() const {
  const std::string directory = kept_directory();
  if (directory.empty()) return std::nullopt;
  return KeptRuns(directory, keep_.value_or(KeptRuns::keep_default));
}

void RecordingFlags::check() const {
  if (always_ && path_) {
    throw UsageError("cannot be used together with --record", "--always-record",
                     "leave one of them out");
  }
  const bool is_kept = !kept_directory().empty();
  if (keep_ && !is_kept) {
    throw UsageError("nothing is kept", "--keep", "add --always-record DIR");
  }
  if (is_kept && method_ == contents_method) {
    throw UsageError("writes its log while the run goes, into a file that is named before",
                     "--method contents", "use --record FILE, or another method");
  }
  if (method_ && !path_ && !is_kept) {
    throw UsageError("a method without a file to record to", "--method", "add --record FILE");
  }
  if (is_by_cards() && checkpoints_.are_given()) {
    throw UsageError("the method '" + method() + "' keeps nothing of each rank by itself",
                     "--checkpoint-every", "leave it out, or use the method 'wildcards'");
  }
  std::optional<std::string> name;
  if (method_) name = method();
  checkpoints_.check(name, path_);
  if (path_) check_can_write(*path_, "--record");
}

std::string RecordingFlags::method() const {
  return NameWithOptions::parse(method_text(), "--method").name();
}

bool RecordingFlags::is_by_cards() const {
  return make_recorder(method_text(), "--method")->firmware() != nullptr;
}

RunRecording::RunRecording(const RecordingFlags& flags, const FoundProgram& program,
                           Description description)
    : flags_(flags),
      program_(program),
      description_(std::move(description)),
      kept_runs_(flags.kept_runs()) {
  if (!is_wanted()) return;
  if (flags.follows_messages()) recorder_ = make_recorder(flags.method_text(), "--method");
  if (flags.is_by_cards() && program.image != nullptr && !program.image->uses_mpi()) {
    throw UsageError("the program passes no messages that a card or switch could see", "--method",
                     "use the method 'choices'");
  }
  check_sees_memory();
  if (flags.leaves_order_open() && program.image != nullptr && program.image->uses_openmp()) {
    throw UsageError("a team of OpenMP shares out work in an order that the method '" +
                         flags.method() + "' does not keep",
                     "--method", "leave it out: the method 'choices' keeps all");
  }
  const bool is_of_threads = program.image != nullptr && !program.image->uses_mpi();
  if (is_of_threads && flags.leaves_order_open() &&
      program.machine.preemption == Preemption::shared) {
    throw UsageError(
        "which accesses --preempt shared makes steps hangs on their order, which the "
        "method '" +
            flags.method() + "' leaves open",
        "--method", "add --preempt all or sync, or use the method 'choices'");
  }
  // A replay has what its log has.
  if (flags.is_new_run() && flags.leaves_order_open() && is_of_threads)
    program.image->give_arenas();
  if (!flags.path()) return;
  checkpoints_ = flags.checkpoints().request(program, *flags.path(), flags.method());
  if (!checkpoints_) return;
  log_.emplace(*flags.path(), description_({}, flags.method()));
  checkpoints_->keep = [this](const RecordedBlock& block) { log_->append(block); };
}

void RunRecording::check_sees_memory() const {
  const Preemption preemption = program_.machine.preemption;
  const bool sees_all = program_.image == nullptr || preemption == Preemption::all;
  if (sees_all || !follows_memory(flags_.method())) return;
  throw UsageError(fmt::format("the method '{}' follows each access to memory, of which --preempt "
                               "{} lets it see only some",
                               flags_.method(), text(preemption)),
                   "--method", "add --preempt all, or use the method 'lamport-order'");
}

void RunRecording::record(IsolatedRun& request) {
  if (recorder_ != nullptr && flags_.is_by_cards()) {
    try {
      static_cast<void>(with_firmware(request.machine.network, recorder_->firmware())());
    } catch (const UsageError& error) {
      throw UsageError(error.problem(), "--method " + flags_.method_text(), error.hint());
    }
  }
  request.keeps_schedule |= is_wanted() && recorder_ == nullptr;
  request.recorder = recorder_.get();
  request.checkpoints = checkpoints_ ? &*checkpoints_ : nullptr;
}

std::string RunRecording::save(const IsolatedResult& result) {
  if (kept_runs_) {
    return kept_runs_->add([&](const std::string& path) { save_at(path, result); });
  }
  if (flags_.path()) save_at(*flags_.path(), result);
  return flags_.path().value_or("");
}

SavedRun RunRecording::describe(const IsolatedResult& result, std::string_view method) const {
  SavedRun run = description_(result.outcome.findings, method);
  run.limit = result.outcome.limit;
  return run;
}

void RunRecording::save_at(const std::string& path, const IsolatedResult& result) {
  const std::string method = flags_.method();
  if (recorder_ == nullptr) {
    return save_run(path, describe(result, method), schedule_blocks(result.schedule));
  }
  if (!result.blind_spot.empty()) {
    if (log_) {
      log_->discard();
      refuse_parts(checkpoints_->images.has_value(), result.blind_spot);
    }
    const bool is_by_cards_alone = method == "nic" || method == "switch";
    throw UsageError(fmt::format("the method '{}' follows {} only, but {}", method,
                                 recorder_kind(method).follows, result.blind_spot),
                     "--method",
                     is_by_cards_alone
                         ? fmt::format("use the method '{}+polls', or 'choices'", method)
                         : "use the method 'choices'");
  }
  if (flags_.is_by_cards() && program_.image == nullptr && result.outcome.messages == 0) {
    throw UsageError("the program passes no messages that a card or switch could see", "--method",
                     "use the method 'choices'");
  }
  if (log_) {
    // The intervals have records, up to where a run has died.
    const bool has_others = result.has_records && !is_kept_in_intervals(method);
    const bool is_of_intervals = !has_others && !is_kept_in_intervals(method);
    const SavedRun run = describe(result, is_of_intervals ? "wildcards" : method);
    const std::vector<RecordedBlock> none;
    return log_->finish(run, has_others ? result.records : none);
  }
  if (!result.has_records) {
    throw UsageError("the run has died so that what was recorded is lost", path,
                     "use the method 'choices'");
  }
  save_run(path, describe(result, method), result.records);
}

RunRecording::Description describe_again(const FoundProgram& program, const SavedRun& recorded) {
  return [&program, &recorded](std::vector<Finding> findings, std::string_view method) {
    SavedRun run;
    run.program = program.info;
    run.settings = RunSettings::of(program.machine, recorded.settings.strategy);
    run.findings = std::move(findings);
    run.method = method;
    run.inputs = recorded.inputs;
    return run;
  };
}

}  // namespace orrery::cli
