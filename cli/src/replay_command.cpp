// `orrery replay`: a recorded run, once more.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/replay_core/mpi_buffers.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/timeline.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "bent_replay.hpp"
#include "command.hpp"
#include "detectors.hpp"
#include "finding_text.hpp"
#include "gdb.hpp"
#include "inferred_orders.hpp"
#include "input_flags.hpp"
#include "interval_replays.hpp"
#include "lock_profile.hpp"
#include "machine_flags.hpp"
#include "output_files.hpp"
#include "preloading.hpp"
#include "race_frontier.hpp"
#include "run_recording.hpp"
#include "run_report.hpp"
#include "schedules.hpp"
#include "test_log.hpp"
#include "timelines.hpp"
#include "watched_death.hpp"

namespace orrery::cli {
namespace {

class ReplayCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "replay"; }
  [[nodiscard]] std::string_view summary() const override { return "do a recorded run again"; }
  [[nodiscard]] std::string_view operands() const override { return "FILE"; }

  void declare(Flags& flags) override {
    machine_.declare(flags);
    flags.text("--program", program_path_, "PATH", "the program, where the log's own is not here");
    flags.toggle("--last", is_last_, "the newest run that --always-record has kept (in FILE)");
    flags.toggle("--gdb", uses_gdb_, "under gdb");
    flags.toggle("--timeline", wants_timeline_, "print what happened, a line an event");
    flags.toggle("--partial", is_partial_, "replay what is left of a log that was cut");
    flags.toggle("--best-effort", is_best_effort_,
                 "take another build too, and go on where the program no longer fits");
    flags.toggle("--stats", wants_statistics_, "print how busy each NIC and link was, and when");
    flags.text("--output-per-rank", output_directory_, "DIR", "a file for each rank's output");
    flags.text("--detect", detector_, "NAME", "see orrery list detectors");
    flags.text("--suppressions", suppressions_, "FILE",
               "races that are not to be told of, as ThreadSanitizer has them");
    flags.text("--keep-files", kept_directory_, "DIR", "keep what the program writes");
    profile_.declare(flags);
    recording_.declare(flags);
    interval_.declare(flags);
    bending_.declare(flags);
  }

  int run(const Console& console, const Operands& operands) override {
    std::unique_ptr<Detector> asked_for = find_detector(detector_);
    if (uses_gdb_ && console.is_json) {
      throw UsageError("cannot be used together with --json", "--gdb", "leave one of them out");
    }
    recording_.check();
    interval_.check(uses_gdb_);
    profile_.check();
    const bool takes_part = interval_.are_given() && !uses_gdb_;
    std::string path = log_of(operands);
    if (bending_.are_given()) check_goes_with_bending();
    if (takes_part) {
      check_goes_with(interval_.name(), {});
      path = log_or_what_is_left(path);
    }
    // A recording that was killed has left all intervals that had ended.
    const bool takes_prefix = is_partial_ || takes_part;
    SavedRun saved = load_run(path, takes_prefix ? LogExtent::valid_prefix : LogExtent::whole);
    const std::optional<std::int32_t> lone_rank = takes_part ? interval_.lone_rank() : std::nullopt;
    if (takes_part && !lone_rank) {
      return replay_wanted_interval(console, saved, path, interval_, [&] {
        return find_program_of(saved, path, program_path_.value_or(""), /*any_build=*/false,
                               machine_, nullptr);
      });
    }
    check_recording(saved, path);
    if (bending_.are_given()) return replay_bent_run(console, saved, path);
    if (saved.program.kind == ProgramInfo::Kind::test) {
      replay_test(saved.program, path, console,
                  {program_path_.value_or(""), wants_timeline_, uses_gdb_});
    }
    const ChosenDetector chosen = less_suppressed(
        asked_for != nullptr ? std::move(asked_for) : detector_for(saved), suppressions_);
    const std::shared_ptr<Detector>& detector = chosen.detector;
    FoundProgram program = find_program_of(saved, path, program_path_.value_or(""), is_best_effort_,
                                           machine_, detector.get());
    print_note(console, program.remark);
    print_note(console, console.is_json || uses_gdb_ ? "" : chosen.remark);
    set_machine(program, saved);
    if (uses_gdb_) run_under_gdb(console, saved.program.ranks);
    keep_files(program, kept_directory_);
    const std::string changed_input = use_inputs(program, saved, path);
    if (lone_rank && !changed_input.empty()) {
      throw UsageError(changed_input, path, "put the file there, as it was");
    }
    if (lone_rank) return replay_lone_rank(console, saved, path, program, *lone_rank);
    return replay_whole(console, saved, path, program, detector.get(), changed_input);
  }

 private:
  int replay_whole(const Console& console, SavedRun& saved, const std::string& path,
                   FoundProgram& program, Detector* detector, const std::string& changed_input) {
    has_color_ = !console.is_json && Paint::for_stream(console, STDERR_FILENO).is_on();
    ProgramOutput output(console, output_directory_);
    RunRecording recording(recording_, program, describe_again(program, saved));
    const Json inferred = infer_orders(saved, program);
    if (recording_.path() && is_made_a_schedule(saved)) give_schedule(saved, program, path);
    IsolatedResult result = do_run(program, saved, output, detector, recording);
    take_end_from_outside(saved, result);
    std::string hint;
    if (detector == nullptr && changed_input.empty() && may_have_met_race(saved, result)) {
      hint = name_race(saved, path, program, result);
    }
    if (wants_statistics_ && !inferred.is_null()) result.more["inference"] = inferred;
    output.finish();
    if (!changed_input.empty() && !is_best_effort_) {
      result.outcome.status = Outcome::Status::finding;
      result.outcome.findings = {{FindingKind::divergence, changed_input, {}}};
    }
    RunReport report{.command = "replay",
                     .program = &program,
                     .seed = program.machine.seed,
                     .run_index = program.machine.run_index,
                     .result = &result,
                     .log = path,
                     .other_log = {},
                     .is_saved = false,
                     .hint = with_line(remark(saved, result), hint)};
    if (recording_.path()) {
      check_is_that_run(result);
      if (saved.is_real) set_machine_of_steps(program.machine, result);
      report.log = recording.save(result);
      report.is_saved = true;
    }
    profile_.save(program, result);
    print_run(console, report);
    return exit_status(result);
  }

  [[nodiscard]] std::string log_of(const Operands& operands) const {
    if (!is_last_) return only_operand(operands, "replay", "the log");
    return newest_kept_run(operands.empty() ? "" : only_operand(operands, "replay", "a directory"));
  }

  int replay_bent_run(const Console& console, SavedRun saved, const std::string& path) const {
    const std::string if_test = "logs of scenarios and of programs can be bent";
    FoundProgram program = find_program_with_schedule(
        saved, {path, program_path_.value_or(""), if_test}, machine_, nullptr);
    print_note(console, program.remark);
    set_machine(program, saved);
    return replay_bent(console, std::move(saved), path, program, bending_, recording_);
  }

  /// A race parts a replay from its run where the log has no order of accesses to memory.
  [[nodiscard]] bool may_have_met_race(const SavedRun& saved, const IsolatedResult& result) const {
    const bool is_by_synchronisation = !saved.stamps.tasks.empty() || !saved.tapes.empty();
    return is_by_synchronisation && !follows_memory(saved.method) && !is_best_effort_ &&
           !recording_.path() && has_gone_otherwise(saved, result);
  }

  [[nodiscard]] std::string name_race(const SavedRun& saved, const std::string& path,
                                      const FoundProgram& program, IsolatedResult& result) const {
    const auto find_watched = [&](const Detector& detector) {
      FoundProgram watched = find_program_of(saved, path, program_path_.value_or(""),
                                             /*any_build=*/false, machine_, &detector);
      set_machine(watched, saved);
      static_cast<void>(use_inputs(watched, saved, path));
      return watched;
    };
    std::string text = look_for_race(saved, program, find_watched, result);
    result.more["race_search"] = text;
    return text;
  }

  [[nodiscard]] static std::string with_line(std::string text, const std::string& line) {
    if (!text.empty() && !line.empty()) text += "\n";
    return text + line;
  }

  void set_machine(FoundProgram& program, const SavedRun& saved) const {
    // On another platform the recorded hosts mean nothing.
    if (program.info.platform != saved.program.platform) program.machine.placement = {};
    machine_.apply_to(program.machine, program.info.ranks);
    check_machine(program.machine, saved.settings);
  }

  /// For whoever follows the steps of a real run, and does not constrain others.
  static void set_machine_of_steps(SimulationOptions& machine, IsolatedResult& result) {
    forbid_needless_wakings(machine, result.more);
    // The log constrained who came first, whatever the dates.
    machine.window = any_order;
  }

  static void check_machine(const SimulationOptions& machine, const RunSettings& recorded) {
    if (machine.computing != recorded.computing) {
      throw UsageError("the log was made with --compute " + recorded.computing.text(), "--compute",
                       "leave it out");
    }
    if (machine.preemption != recorded.preemption) {
      throw UsageError("the log was made with --preempt " + std::string(text(recorded.preemption)),
                       "--preempt", "leave it out");
    }
  }

  /// What a whole run has that is as recorded; parts of runs, and bent ones, have not.
  void check_goes_with(const std::string& name, std::string_view allowed) const {
    const std::pair<std::string_view, bool> others[] = {
        {"--timeline", wants_timeline_},
        {"--gdb", uses_gdb_},
        {"--best-effort", is_best_effort_},
        {"--stats", wants_statistics_},
        {"--output-per-rank", output_directory_.has_value()},
        {"--detect", detector_.has_value()},
        {"--suppressions", suppressions_.has_value()},
        {"--record", recording_.path().has_value()},
        {"--profile-locks", profile_.is_wanted()},
        {"--keep-files", kept_directory_.has_value()}};
    for (const auto& [flag, is_given] : others) {
      if (!is_given || flag == allowed) continue;
      const bool can_follow = allowed == "--record";
      throw UsageError("cannot be used together with " + name, std::string(flag),
                       can_follow ? "keep the bent run with --record FILE, and replay that"
                                  : "leave one of them out");
    }
  }

  void check_goes_with_bending() const {
    if (interval_.are_given()) {
      throw UsageError("cannot be used together with " + bending_.name(), interval_.name(),
                       "leave one of them out");
    }
    check_goes_with(bending_.name(), "--record");
  }

  IsolatedResult do_run(const FoundProgram& program, const SavedRun& saved, ProgramOutput& output,
                        Detector* detector, RunRecording& recording) {
    UndisturbedChooser fallback;
    const ReplayMode mode = is_best_effort_ ? ReplayMode::best_effort : ReplayMode::strict;
    const auto replayer = recorder_kind(saved.method).make_replayer(saved, fallback, mode);
    Timeline timeline({.color = has_color_});
    IsolatedRun request{.program = program.program,
                        .machine = program.machine,
                        .chooser = replayer->chooser(),
                        .observers = {},
                        .on_output = output.sink(),
                        .drive = {},
                        .conclude = {},
                        .wants_statistics = wants_statistics_,
                        .keeps_schedule = wants_timeline_};
    recording.record(request);
    profile_.watch(request);
    if (Observer* const own = replayer->observer()) request.observers.push_back(own);
    if (wants_timeline_) request.observers.push_back(&timeline);
    if (detector != nullptr) {
      request.observers.push_back(detector);
      request.findings = [detector] { return detector->findings(); };
    }
    request.conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
      outcome = replayer->judge(std::move(outcome));
      std::optional<std::uint64_t> last_step;
      if (replayer->parted() && !is_best_effort_) last_step = steps_followed(outcome);
      conclude_watching(detector, program, wants_statistics_, outcome, more, last_step);
      static_cast<void>(take_other_run(more));
      if (wants_timeline_) more["timeline"] = timeline.text();
      if (wants_statistics_) {
        for (const auto& [name, count] : replayer->counts()) {
          more["replay"][std::string(name)] = count;
        }
      }
      profile_.conclude(more);
      if (saved.is_real && recording_.path()) note_wakings(*replayer, more);
      add_parting(*replayer, more);
    };
    IsolatedResult result = run_isolated(request);
    look_at_death(detector, program, request, replayer->observer(), result);
    if (result.has_died && is_best_effort_) add_parting_of_dead(request, *replayer, result);
    if (wants_timeline_) add_timeline_of_dead(program, saved, result);
    return result;
  }

  static void add_parting(const Replayer& replayer, Json& more) {
    if (!replayer.parted()) return;
    more["parted"] = replayer.parted()->message;
    more["steps_beyond"] = replayer.steps_beyond();
  }

  /// Who dies says nothing more: this is asked a step before, in another run.
  static void add_parting_of_dead(IsolatedRun request, const Replayer& replayer,
                                  IsolatedResult& result) {
    const std::uint64_t steps = result.outcome.steps;
    request.on_output = {};
    request.drive = [&](Simulation& simulation, Json& more) {
      simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
      add_parting(replayer, more);
      return false;
    };
    result.more.update(run_isolated(request).more);
  }

  void check_recording(const SavedRun& saved, const std::string& path) const {
    if (!recording_.path()) return;
    std::error_code error;
    if (std::filesystem::equivalent(*recording_.path(), path, error)) {
      throw UsageError("the log that is replayed would be lost", "--record", "give another file");
    }
    const bool has_order = saved.method == schedule_method || bending_.are_given() ||
                           is_made_a_schedule(saved) || !saved.stamps.tasks.empty();
    if (!has_order && !recording_.follows_messages()) {
      throw UsageError("a replay of the method '" + saved.method + "' has no order of all steps",
                       "--record", "add --method wildcards, or another that follows messages");
    }
    if (saved.program.kind == ProgramInfo::Kind::test) {
      throw UsageError("the log is of a C++ test, which saves what it finds by itself", "--record",
                       "leave it out");
    }
  }

  /// Who came to what, in which order, is nearly one already.
  [[nodiscard]] bool is_made_a_schedule(const SavedRun& saved) const {
    return follows_memory(saved.method) && !recording_.follows_messages();
  }

  void check_is_that_run(const IsolatedResult& result) const {
    if (!result.more.contains("parted") || is_best_effort_) return;
    throw UsageError(result.more.at("parted").get<std::string>(), "--record",
                     "orrery replay --best-effort takes what comes after that, too");
  }

  /// What people should know besides the outcome.
  [[nodiscard]] std::string remark(const SavedRun& saved, const IsolatedResult& result) const {
    std::string text;
    if (!saved.is_whole) text = "the log was cut: " + saved.why_cut + "; the rest is undisturbed";
    if (is_best_effort_ && result.more.contains("parted")) {
      if (!text.empty()) text += "\n";
      text += fmt::format(
          "parted from the log: {}; went on undisturbed for {}",
          result.more.at("parted").get<std::string>(),
          counted(result.more.at("steps_beyond").get<std::uint64_t>(), "step", "steps"));
    }
    const auto is_that = [&](const Finding& found) {
      if (saved.is_real) return found.kind != FindingKind::divergence;
      return found.is_same_as(saved.findings.front()) || tells_of(found, saved.findings.front());
    };
    const bool is_same = saved.findings.empty() || (!result.outcome.findings.empty() &&
                                                    is_that(result.outcome.findings.front()));
    const bool has_parted = result.more.contains("parted");
    if (!is_same && !has_parted && saved.is_whole) {
      text += fmt::format("the log's own finding ({}) did not come up again",
                          orrery::name(saved.findings.front().kind));
    }
    return text;
  }

  /// The command line without what is for gdb.
  [[nodiscard]] static std::vector<std::string> without_gdb(std::span<const std::string> words) {
    constexpr std::array with_value{"--at", "--rank", "--event"};
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const auto is_flag = [&](std::string_view flag) {
        return word == flag || (word.starts_with(flag) && word[flag.size()] == '=');
      };
      if (word.starts_with("--gdb")) continue;
      if (std::ranges::none_of(with_value, is_flag)) {
        rest.push_back(word);
      } else if (word.find('=') == std::string::npos) {
        ++i;
      }
    }
    return rest;
  }

  /// Becomes gdb on this same command line, without --gdb.  Returns never.
  [[noreturn]] void run_under_gdb(const Console& console, std::uint32_t ranks) const {
    const PreloadedStart start = preloaded_start();
    std::vector<std::string> command{start.program.empty() ? own_path() : start.program};
    const auto mark = std::find(console.words.begin(), console.words.end(), "--");
    const std::vector<std::string> words =
        without_gdb(std::span(console.words).first(mark - console.words.begin()));
    command.insert(command.end(), words.begin(), words.end());
    // People think for longer than the limit.
    if (!machine_.wall_limit) command.insert(command.end(), {"--wall-limit", "inf"});
    command.insert(command.end(), mark, console.words.end());
    become_under_gdb({command, start.gdb_settings, interval_.stop(ranks)});
  }

  MachineFlags machine_;
  std::optional<std::string> program_path_;
  bool is_last_ = false;
  bool uses_gdb_ = false;
  bool wants_timeline_ = false;
  bool has_color_ = false;  // of the timeline
  bool is_partial_ = false;
  bool is_best_effort_ = false;
  bool wants_statistics_ = false;
  std::optional<std::string> output_directory_;
  std::optional<std::string> detector_;
  std::optional<std::string> suppressions_;
  std::optional<std::string> kept_directory_;
  RecordingFlags recording_;
  LockProfile profile_;
  IntervalFlags interval_;
  BendFlags bending_;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace orrery::cli
