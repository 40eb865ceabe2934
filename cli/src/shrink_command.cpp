// `orrery shrink`: the smallest run that still fails.
#include <memory>

#include <fmt/format.h>

#include <orrery/explorers/shrinker.hpp>
#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "command.hpp"
#include "detectors.hpp"
#include "files.hpp"
#include "finding_text.hpp"
#include "json_report.hpp"
#include "program_lookup.hpp"
#include "schedules.hpp"

namespace orrery::cli {
namespace {

Json json_of(const RunCost& cost) {
  return {{"preemptions", cost.preemptions},
          {"deviations", cost.deviations},
          {"messages_reordered", cost.reordered},
          {"steps", cost.steps}};
}

class ShrinkCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "shrink"; }
  [[nodiscard]] std::string_view summary() const override {
    return "make a recorded finding as small as it can be";
  }
  [[nodiscard]] std::string_view operands() const override { return "FILE"; }

  void declare(Flags& flags) override {
    flags.text("-o", save_path_, "FILE", "where the small run goes (FILE-small.orr)");
    flags.whole_number("--runs", runs_, "at most so many runs (4000)", 1);
    flags.duration("--for", for_duration_, "budget in real time");
    flags.text("--program", program_path_, "PATH", "the program, where the log's own is not here");
  }

  int run(const Console& console, const Operands& operands) override {
    const std::string& path = only_operand(operands, "shrink", "the log");
    check_budget();
    const std::string target = save_path_.value_or(path_beside(path, "-small"));
    if (save_path_) check_can_write(target, "-o");
    SavedRun saved = load_run(path);
    const std::shared_ptr<Detector> detector = detector_for(saved);
    FoundProgram program = find_program_with_schedule(
        saved, {path, program_path_.value_or(""), "a test shrinks what it finds by itself"},
        MachineFlags{}, detector.get());
    print_note(console, program.remark);
    saved.settings.window = program.machine.window;
    check_findings(saved, path);

    const ShrinkResult small = shrink_it(console, saved, program, target);
    if (!small.reproduced) return report_lost(console, saved, program, path);
    saved.findings = {small.finding};
    saved.findings.insert(saved.findings.end(), small.others.begin(), small.others.end());
    saved.schedule = small.schedule;
    saved.settings.preemption = small.preemption;
    save_run(target, saved);
    print(console, program, saved, small, target);
    return status_finding;
  }

 private:
  void check_budget() const {
    if (runs_ && for_duration_) {
      throw UsageError("a budget in time and one in runs", "--for", "give --for or --runs");
    }
    if (for_duration_ && *for_duration_ == VirtualDuration::zero()) {
      throw UsageError("no time for a single run", "--for", "write a duration such as 10s");
    }
  }

  static void check_findings(const SavedRun& saved, const std::string& path) {
    if (!saved.findings.empty()) return;
    throw UsageError("the log holds no finding that could be made small", path,
                     "give a log that orrery explore saved");
  }

  ShrinkResult shrink_it(const Console& console, const SavedRun& saved, const FoundProgram& program,
                         const std::string& target) const {
    ShrinkOptions options;
    options.runs = runs_.value_or(options.runs);
    options.for_duration = for_duration_.value_or(options.for_duration);
    options.simulation = program.machine;
    if (!console.is_quiet) options.progress = ExploreOptions::Progress::on_terminal;
    watch_runs(std::shared_ptr<Detector>(detector_for(saved)), options);
    options.on_better = [&](const ShrinkResult& better) {
      SavedRun best = saved;
      best.schedule = better.schedule;
      best.settings.preemption = better.preemption;
      save_run(target, best);
    };
    return shrink(saved.schedule, saved.findings.front(), program.program, options);
  }

  static JsonReport json_report(const SavedRun& saved, const FoundProgram& program) {
    JsonReport json;
    json.command = "shrink";
    json.program = program.search_name;
    json.seed = saved.settings.seed;
    json.outcome = "finding";
    return json;
  }

  static int report_lost(const Console& console, const SavedRun& saved, const FoundProgram& program,
                         const std::string& path) {
    Finding lost;
    lost.kind = FindingKind::divergence;
    lost.message = fmt::format("the log's finding ({}) did not come up again: nothing was shrunk",
                               orrery::name(saved.findings.front().kind));
    if (console.is_json) {
      JsonReport json = json_report(saved, program);
      json.findings.push_back({lost, path});
      print_out(json_text(to_json(json)));
      return status_finding;
    }
    SourceLines sources(program.directory);
    print_out(finding_text(lost, Paint::for_stream(console, 1), sources));
    return status_finding;
  }

  /// Why it stopped where it did, if there may be a smaller run.
  [[nodiscard]] std::string end_text(const ShrinkResult& small) const {
    if (!small.was_cut_short) return {};
    return for_duration_ ? fmt::format(", then its time was over: --for gives more than {}",
                                       duration_text(*for_duration_))
                         : ", as many as it may take: --runs gives more";
  }

  void print(const Console& console, const FoundProgram& program, const SavedRun& saved,
             const ShrinkResult& small, const std::string& target) const {
    if (console.is_json) {
      JsonReport json = json_report(saved, program);
      json.runs = small.runs;
      json.steps = small.after.steps;
      json.output = small.output;
      for (const Finding& finding : saved.findings) json.findings.push_back({finding, target});
      json.stats = {{"before", json_of(small.before)},
                    {"after", json_of(small.after)},
                    {"was_cut_short", small.was_cut_short}};
      print_out(json_text(to_json(json)));
      return;
    }
    if (console.is_quiet) return;
    const Paint paint = Paint::for_stream(console, 1);
    SourceLines sources(program.directory);
    print_out(findings_text(saved.findings, paint, sources) +
              fmt::format("before: {}\nafter:  {}  ({}{})\n", text(small.before), text(small.after),
                          counted(small.runs, "run", "runs"), end_text(small)) +
              saved_text(target, "orrery replay " + shell_word(target), paint));
  }

  std::optional<std::string> save_path_;
  std::optional<std::uint64_t> runs_;
  std::optional<VirtualDuration> for_duration_;
  std::optional<std::string> program_path_;
};

}  // namespace

std::unique_ptr<Command> make_shrink_command() {
  return std::make_unique<ShrinkCommand>();
}

}  // namespace orrery::cli
