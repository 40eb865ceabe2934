// `orrery explore`: many runs, until a finding, an end or a budget.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/strategies.hpp>

#include "command.hpp"
#include "detectors.hpp"
#include "explore_report.hpp"
#include "files.hpp"
#include "foreign_objects.hpp"
#include "input_flags.hpp"
#include "machine_flags.hpp"
#include "placement_text.hpp"
#include "program_lookup.hpp"
#include "schedules.hpp"

namespace orrery::cli {
namespace {

constexpr std::uint64_t jobs_max = 1024;

class ExploreCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "explore"; }
  [[nodiscard]] std::string_view summary() const override {
    return "search many runs for a finding, make it small, save it";
  }
  [[nodiscard]] std::string_view operands() const override {
    return "PROGRAM [ARGS...] | --from LOG";
  }
  [[nodiscard]] bool takes_program() const override { return true; }

  void declare(Flags& flags) override {
    machine_.declare(flags);
    flags.text("--faults", faults_, "KIND[=N][:DURATION],...",
               "what may go wrong: see orrery list faults");
    flags.text("--strategy", strategy_, "NAME[:key=value,...]",
               "how to choose: see orrery list strategies (random)");
    flags.text("--from", from_, "LOG", "search around this recorded run, the nearest ones first");
    flags.text("--program", program_path_, "PATH",
               "with --from: the program, where the log's own is not here");
    flags.whole_number("--runs", runs_, "budget in runs (1000)", 1);
    flags.duration("--for", for_duration_, "budget in real time");
    flags.whole_number("--jobs", jobs_, "worker processes (1)", 1, jobs_max);
    flags.toggle("--keep-going", keeps_going_, "go on after a finding");
    flags.toggle("--resume", resumes_, "go on where a search of the same name was stopped");
    flags.text("--snapshot-at", snapshot_at_, "FUNCTION",
               "start all runs from its first call, done once");
    flags.text("-o", save_path_, "FILE", "where the log of the finding goes (PROGRAM.orr)");
    flags.text("--junit", junit_path_, "FILE", "write a JUnit XML report");
    flags.toggle("--no-shrink", leaves_large_, "do not make the finding small");
    flags.toggle("--check-determinism", checks_determinism_, "do each run twice and compare");
    flags.text("--detect", detector_, "NAME", "see orrery list detectors");
    flags.text("--suppressions", suppressions_, "FILE",
               "races that are not to be told of, as ThreadSanitizer has them");
    inputs_.declare(flags);
  }

  int run(const Console& console, const Operands& operands) override {
    check_flags();
    const ChosenDetector chosen = less_suppressed(find_detector(detector_), suppressions_);
    const std::shared_ptr<Detector>& detector = chosen.detector;
    std::optional<Schedule> middle;
    const FoundProgram program = from_ ? program_of_log(operands, detector.get(), middle)
                                       : find_program(operands, machine_, detector.get());
    print_note(console, program.remark);
    print_note(console, console.is_json ? "" : chosen.remark);
    print_note(console, console.is_json ? "" : foreign_objects_text(program));
    print_note(console, console.is_json ? "" : placement_text(hosts_of(program)));
    ExploreOptions options = options_for(program, console);
    if (middle) {
      options.own_strategy = make_strategy_around(*std::move(middle), *from_);
      if (!save_path_) options.save_path = path_beside(*from_, "-near");
    }
    watch_runs(detector, options);
    count_suppressed(chosen, options);
    options.detector = detector_.value_or("");
    const Report report = explore(options, program.program);
    if (console.is_json) {
      print_out(json_text(to_json(json_report(report, program, chosen.suppressions))));
    } else if (!console.is_quiet || report.exit_status() == status_finding) {
      print_out(explore_text(report, program, chosen.suppressions, Paint::for_stream(console, 1)));
    }
    return report.exit_status();
  }

 private:
  /// The program of the log, with its arguments and inputs; `schedule` is what it did.
  FoundProgram program_of_log(const Operands& operands, const Detector* detector,
                              std::optional<Schedule>& schedule) const {
    if (!operands.empty()) {
      throw UsageError("the log says which program, and with what arguments", "--from",
                       "leave out '" + operands.front() + "', or write --program PATH");
    }
    SavedRun saved = load_run(*from_);
    FoundProgram program =
        find_program_with_schedule(saved,
                                   {*from_, program_path_.value_or(""),
                                    "give the test's search the strategy around:file=" + *from_},
                                   machine_, detector);
    schedule = std::move(saved.schedule);
    // On another platform the recorded hosts mean nothing.
    if (program.info.platform != saved.program.platform) program.machine.placement = {};
    program.machine.window = any_order;
    machine_.apply_to(program.machine, program.info.ranks);
    return program;
  }

  void check_flags() const {
    if (from_ && strategy_) {
      throw UsageError("cannot be used together with --from", "--strategy",
                       "leave one of them out");
    }
    std::error_code error;
    if (from_ && save_path_ && std::filesystem::equivalent(*from_, *save_path_, error)) {
      throw UsageError("the log that is searched around would be lost", "-o", "give another file");
    }
    if (program_path_ && !from_) {
      throw UsageError("names the program of a log", "--program", "add --from LOG");
    }
    if (runs_ && for_duration_) {
      throw UsageError("a budget in time and one in runs", "--for", "give --for or --runs");
    }
    if (for_duration_ && *for_duration_ == VirtualDuration::zero()) {
      throw UsageError("no time for a single run", "--for", "write a duration such as 10s");
    }
    if (strategy_) (void)make_strategy(*strategy_, "--strategy");
    if (save_path_) check_can_write(*save_path_, "-o");
    if (junit_path_) check_can_write(*junit_path_, "--junit");
  }

  [[nodiscard]] ExploreOptions options_for(const FoundProgram& program,
                                           const Console& console) const {
    ExploreOptions options;
    options.name = program.search_name;
    if (strategy_) options.strategy = *strategy_;
    if (runs_) options.runs = *runs_;
    if (for_duration_) options.for_duration = *for_duration_;
    options.jobs = static_cast<unsigned>(jobs_.value_or(1));
    options.seed = program.machine.seed;
    options.keep_going = keeps_going_;
    options.resume = resumes_;
    options.save_path = save_path_.value_or("");
    options.junit_path = junit_path_.value_or("");
    options.shrink = !leaves_large_;
    options.check_determinism = checks_determinism_;
    options.simulation = program.machine;
    if (faults_) options.simulation.faults = parse_faults(*faults_, "--faults");
    options.program = program.info;
    const InputPolicy policy = inputs_.policy();
    inputs_.apply(program);
    if (program.image != nullptr) {
      options.inputs = [image = program.image, policy] { return image->inputs(policy); };
      options.forget_inputs = [image = program.image] { image->forget_inputs(); };
    }
    if (snapshot_at_) options.snapshot = snapshot_place(program);
    if (!console.is_quiet) options.progress = ExploreOptions::Progress::on_terminal;
    return options;
  }

  [[nodiscard]] SnapshotPlace snapshot_place(const FoundProgram& program) const {
    if (program.image == nullptr) {
      throw UsageError("'" + program.info.name + "' is a built-in scenario, not a program's file",
                       "--snapshot-at", "leave it out");
    }
    return {*snapshot_at_, [image = program.image, name = *snapshot_at_](auto reached) {
              image->stop_at(name, std::move(reached));
            }};
  }

  MachineFlags machine_;
  std::optional<std::string> faults_;
  std::optional<std::string> strategy_;
  std::optional<std::string> from_;
  std::optional<std::string> program_path_;
  std::optional<std::uint64_t> runs_;
  std::optional<VirtualDuration> for_duration_;
  std::optional<std::uint64_t> jobs_;
  std::optional<std::string> snapshot_at_;
  bool keeps_going_ = false;
  bool resumes_ = false;
  std::optional<std::string> save_path_;
  std::optional<std::string> junit_path_;
  bool leaves_large_ = false;
  bool checks_determinism_ = false;
  std::optional<std::string> detector_;
  std::optional<std::string> suppressions_;
  InputFlags inputs_;
};

}  // namespace

std::unique_ptr<Command> make_explore_command() {
  return std::make_unique<ExploreCommand>();
}

}  // namespace orrery::cli
