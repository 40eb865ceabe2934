// `orrery run`: one run in simulation.
#include <memory>
#include <utility>

#include <unistd.h>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/duration_text.hpp>
#include <orrery/replay_core/determinism.hpp>
#include <orrery/replay_core/first_arrived_chooser.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/timeline.hpp>

#include "command.hpp"
#include "detectors.hpp"
#include "files.hpp"
#include "finding_text.hpp"
#include "foreign_objects.hpp"
#include "input_flags.hpp"
#include "lock_profile.hpp"
#include "machine_flags.hpp"
#include "output_files.hpp"
#include "probe_effect.hpp"
#include "run_recording.hpp"
#include "run_report.hpp"
#include "stepper.hpp"
#include "timelines.hpp"
#include "watched_death.hpp"

namespace orrery::cli {
namespace {

class RunCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "run"; }
  [[nodiscard]] std::string_view summary() const override {
    return "run a program once, in virtual time";
  }
  [[nodiscard]] std::string_view operands() const override { return "PROGRAM [ARGS...]"; }
  [[nodiscard]] bool takes_program() const override { return true; }

  void declare(Flags& flags) override {
    machine_.declare(flags);
    flags.text("--faults", faults_, "KIND[=N][:DURATION],...",
               "what may go wrong: see orrery list faults");
    flags.duration("--until", until_, "stop at this virtual time");
    flags.toggle("--step", steps_, "go step by step, as commands on standard input say");
    recording_.declare(flags);
    recording_.declare_always(flags);
    flags.toggle("--timeline", wants_timeline_, "print what happened, a line an event");
    flags.toggle("--check-determinism", checks_determinism_,
                 "run the same schedule again and compare");
    flags.toggle("--stats", wants_statistics_, "print how busy each NIC and link was, and when");
    flags.text("--output-per-rank", output_directory_, "DIR", "a file for each rank's output");
    flags.text("--detect", detector_, "NAME", "see orrery list detectors");
    flags.text("--suppressions", suppressions_, "FILE",
               "races that are not to be told of, as ThreadSanitizer has them");
    flags.toggle_with_value("--probe-effect", probe_effect_,
                            std::string(ProbeEffect::all_recorders),
                            "what recorders change: run without and with each of these");
    profile_.declare(flags);
    inputs_.declare(flags);
    flags.text("--keep-files", kept_directory_, "DIR", "keep what the program writes");
  }

  int run(const Console& console, const Operands& operands) override {
    check_flags();
    profile_.set(machine_);
    const std::optional<ProbeEffect> probe_effect = wanted_probe_effect();
    const ChosenDetector chosen = less_suppressed(find_detector(detector_), suppressions_);
    const std::shared_ptr<Detector>& detector = chosen.detector;
    FoundProgram program = find_program(operands, machine_, detector.get());
    print_note(console, program.remark);
    print_note(console, console.is_json ? "" : chosen.remark);
    print_note(console, console.is_json ? "" : foreign_objects_text(program));
    if (!machine_.window) program.machine.window = VirtualDuration::zero();
    if (faults_) program.machine.faults = parse_faults(*faults_, "--faults");
    const InputPolicy policy = inputs_.policy();
    inputs_.apply(program);
    keep_files(program, kept_directory_);
    if (steps_ && program.image != nullptr) program.image->leave_standard_input();
    has_color_ = !console.is_json && Paint::for_stream(console, STDERR_FILENO).is_on();
    ProgramOutput output(console, output_directory_);
    const auto description = [&](std::vector<Finding> findings, std::string_view method) {
      return saved_run(program, std::move(findings), policy, method);
    };
    RunRecording recording(recording_, program, description);
    IsolatedResult result = probe_effect ? compare_recorders(*probe_effect, program, output)
                                         : do_run(program, output, detector.get(), recording);
    const std::optional<Schedule> other_run = take_other_run(result.more);
    output.finish();

    RunReport report{.command = "run",
                     .program = &program,
                     .seed = program.machine.seed,
                     .run_index = program.machine.run_index,
                     .result = &result,
                     .log = {},
                     .other_log = {},
                     .is_saved = false,
                     .hint = {}};
    try {
      profile_.save(program, result);
      if (!probe_effect) report.log = recording.save(result);
      report.other_log = save_other(report.log, program, other_run, policy);
    } catch (const UsageError&) {
      // What was found must not be lost with the log; but there is one JSON object only.
      if (!console.is_json) print_run(console, report);
      throw;
    }
    const bool has_findings = !result.outcome.findings.empty();
    if (report.log.empty() && has_findings) {
      report.hint = "keep it: the same command line with --record FILE";
    }
    // Of a run that is kept anyway nothing is said, unless somebody will want it.
    report.is_saved = recording_.path().has_value() || (!report.log.empty() && has_findings);
    print_run(console, report);
    return exit_status(result);
  }

 private:
  void check_flags() const {
    recording_.check();
    profile_.check();
    if (recording_.follows_messages() && faults_) {
      throw UsageError("the method '" + recording_.method() + "' does not keep when faults strike",
                       "--method", "use the method 'choices'");
    }
    const bool records_once = recording_.checkpoints().are_given() || recording_.is_by_cards();
    if (records_once && checks_determinism_) {
      throw UsageError("runs the program a second time", "--check-determinism",
                       recording_.is_by_cards() ? "use another method than those of cards"
                                                : "leave out --checkpoint-every");
    }
    if (steps_ && until_) {
      throw UsageError("cannot be used together with --step", "--until",
                       "use the command 'until' of --step");
    }
  }

  [[nodiscard]] std::optional<ProbeEffect> wanted_probe_effect() const {
    if (probe_effect_.empty()) return std::nullopt;
    const std::pair<const char*, bool> others[] = {{"--record", recording_.path().has_value()},
                                                   {"--always-record", recording_.is_always()},
                                                   {"--detect", detector_.has_value()},
                                                   {"--step", steps_},
                                                   {"--until", until_.has_value()},
                                                   {"--timeline", wants_timeline_},
                                                   {"--profile-locks", profile_.is_wanted()},
                                                   {"--check-determinism", checks_determinism_}};
    for (const auto& [flag, is_given] : others) {
      if (!is_given) continue;
      throw UsageError("cannot be used together with --probe-effect", flag,
                       "leave one of them out");
    }
    return ProbeEffect(probe_effect_);
  }

  [[nodiscard]] IsolatedResult compare_recorders(const ProbeEffect& probe_effect,
                                                 const FoundProgram& program,
                                                 ProgramOutput& output) const {
    IsolatedResult result = probe_effect.run(program, output.sink());
    if (!wants_statistics_) {
      for (const char* const key : {"network", "recording", "collectives"}) result.more.erase(key);
    }
    return result;
  }

  IsolatedResult do_run(const FoundProgram& program, ProgramOutput& output, Detector* detector,
                        RunRecording& recording) {
    const auto strategy = make_strategy("random");
    const auto random = strategy->chooser({});
    Stepper stepper(*random);
    FirstArrivedChooser first_arrived(*random);
    Chooser& chooser = recording_.is_by_cards() ? static_cast<Chooser&>(first_arrived) : *random;
    Timeline timeline({.color = has_color_});
    IsolatedRun request{.program = program.program,
                        .machine = program.machine,
                        .chooser = steps_ ? stepper.chooser() : chooser,
                        .observers = {},
                        .on_output = output.sink(),
                        .drive = {},
                        .conclude = {},
                        .wants_statistics = wants_statistics_,
                        .keeps_schedule = checks_determinism_ || wants_timeline_};
    recording.record(request);
    profile_.watch(request);
    if (wants_timeline_) request.observers.push_back(&timeline);
    if (detector != nullptr) {
      request.observers.push_back(detector);
      request.findings = [detector] { return detector->findings(); };
    }
    if (steps_) request.observers.push_back(&stepper.observer());
    if (steps_) request.drive = [&stepper](Simulation& run, Json&) { return stepper.drive(run); };
    if (until_) {
      request.drive = [&](Simulation& run, Json& more) {
        const bool goes_on = run.clock().run_until(*until_);
        if (goes_on && wants_timeline_) more["timeline"] = timeline.text();
        return !goes_on;
      };
    }
    request.conclude = [&](Simulation& simulation, const Schedule& schedule, Outcome& outcome,
                           Json& more) {
      if (wants_timeline_) more["timeline"] = timeline.text();
      profile_.conclude(more);
      conclude_watching(detector, program, wants_statistics_, outcome, more);
      if (!checks_determinism_) return;
      if (const auto finding = check_determinism(simulation, program.program, schedule)) {
        outcome.status = Outcome::Status::finding;
        outcome.findings.push_back(*finding);
      }
    };
    IsolatedResult result = run_isolated(request);
    look_at_death(detector, program, request, nullptr, result);
    if (wants_timeline_) add_timeline_of_dead(program, {}, result);
    return result;
  }

  /// Beside the log of the run that it belongs to.  Returns its path, or nothing.
  [[nodiscard]] static std::string save_other(const std::string& log, const FoundProgram& program,
                                              const std::optional<Schedule>& other,
                                              const InputPolicy& policy) {
    if (log.empty() || !other) return {};
    const std::string path = path_beside(log, "-other");
    save_run(path, saved_run(program, {}, policy, schedule_method), schedule_blocks(*other));
    return path;
  }

  static SavedRun saved_run(const FoundProgram& program, std::vector<Finding> findings,
                            const InputPolicy& policy, std::string_view method) {
    SavedRun run;
    run.program = program.info;
    run.settings = RunSettings::of(program.machine, "random");
    run.findings = std::move(findings);
    run.method = method;
    if (program.image != nullptr) run.inputs = program.image->inputs(policy);
    return run;
  }

  MachineFlags machine_;
  std::optional<std::string> faults_;
  std::optional<VirtualDuration> until_;
  bool steps_ = false;
  RecordingFlags recording_;
  bool wants_timeline_ = false;
  bool has_color_ = false;  // of the timeline
  bool checks_determinism_ = false;
  bool wants_statistics_ = false;
  std::optional<std::string> output_directory_;
  std::optional<std::string> detector_;
  std::optional<std::string> suppressions_;
  std::string probe_effect_;
  LockProfile profile_;
  InputFlags inputs_;
  std::optional<std::string> kept_directory_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace orrery::cli
