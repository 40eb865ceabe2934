// `orrery show`: what a log holds.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "command.hpp"
#include "detectors.hpp"
#include "event_files.hpp"
#include "finding_text.hpp"
#include "graph_file.hpp"
#include "input_flags.hpp"
#include "json_report.hpp"
#include "program_lookup.hpp"
#include "race_list.hpp"
#include "timelines.hpp"

namespace orrery::cli {
namespace {

std::string program_text(const ProgramInfo& program) {
  std::string text = fmt::format("{} {}", name(program.kind), program.name);
  for (const std::string& argument : program.arguments) text += " " + shell_word(argument);
  if (program.ranks != 0) text += ", " + counted(program.ranks, "rank", "ranks");
  if (!program.path.empty()) text += "\n           " + program.path;
  return text;
}

std::string text_of(const IntervalId& id) {
  return fmt::format("{}:{}", id.rank, id.number);
}

/// A line an interval: `  2:5  from 1.2ms, 34 events, needs 0:4 1:5`.
std::string intervals_text(const CheckpointedRun& run) {
  std::string text =
      fmt::format("\n{}, {} logged\n", counted(run.intervals.size(), "interval", "intervals"),
                  counted(run.logged_messages.count(), "message", "messages"));
  const bool are_saved = has_images(run);
  for (const Interval& interval : run.intervals) {
    text += fmt::format("  {}  from {}", text_of(interval.id),
                        duration_text(interval.begin.date.since_start()));
    text +=
        interval.has_ended ? ", " + counted(interval.events, "event", "events") : ", has not ended";
    const char* separator = ", needs ";
    for (const IntervalId& needed : interval.depends_on) {
      text += separator + text_of(needed);
      separator = " ";
    }
    if (are_saved && !interval.begin.image) text += ", was not saved";
    text += "\n";
  }
  return text;
}

Json intervals_json(const CheckpointedRun& run) {
  Json all = Json::array();
  for (const Interval& interval : run.intervals) {
    Json needs = Json::array();
    for (const IntervalId& needed : interval.depends_on) needs.push_back(text_of(needed));
    all.push_back({{"interval", text_of(interval.id)},
                   {"begin_ns", interval.begin.date.nanoseconds()},
                   {"has_ended", interval.has_ended},
                   {"events", interval.events},
                   {"is_saved", interval.begin.image.has_value()},
                   {"needs", std::move(needs)}});
  }
  return all;
}

class ShowCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "show"; }
  [[nodiscard]] std::string_view summary() const override { return "say what a log holds"; }
  [[nodiscard]] std::string_view operands() const override { return "FILE"; }

  void declare(Flags& flags) override {
    flags.toggle("--timeline", wants_timeline_, "what happened, a line an event");
    flags.toggle("--races", wants_races_, "the messages that could have come the other way round");
    flags.text("--graph", graph_, "OUT.html", "the run as a page for a browser: docs/seeing.md");
    flags.text("--beside", beside_, "FILE", "another log on that page: the run made small");
    flags.text("--export", export_, "FORMAT",
               "the run for other tools: chrome, paje, shiviz, otf2, csv (orrery list exports)");
    flags.text("-o", export_path_, "FILE", "where the export goes (standard output)");
    flags.text("--program", program_path_, "PATH", "the program, where the log's own is not here");
  }

  int run(const Console& console, const Operands& operands) override {
    check_flags(console);
    const std::string& path = only_operand(operands, "show", "the log");
    const EventExport* const format = export_ ? &event_export(*export_) : nullptr;
    SavedRun saved = load_run(path);
    const std::string method = saved.method;
    std::string directory;
    std::string timeline;
    std::optional<Json> races;
    std::optional<GraphFile> page;
    if (wants_timeline_ || wants_races_ || format != nullptr || graph_) {
      const FoundProgram program = program_of(saved, path);
      if (wants_timeline_) timeline = timeline_of(program, saved, path);
      if (wants_races_) races = races_of(program, saved, path);
      if (format != nullptr) export_run(program, saved, path, *format, export_path_);
      if (graph_) page.emplace(*graph_).add(program, saved, path);
      directory = program.directory;
    }
    if (page) {
      if (beside_) add_beside(*page);
      page->finish();
    }
    if (export_ && !export_path_) return status_of(saved);
    if (console.is_json) {
      print_json(saved, method, path, timeline, races, page);
    } else {
      print_text(console, saved, method, directory, timeline);
      if (races) print_out("\n" + races_text(*races));
      if (page) print_out("\n" + page->text());
    }
    return status_of(saved);
  }

 private:
  /// What is shown need not be the run of the log.
  [[nodiscard]] static int status_of(const SavedRun& saved) {
    const bool has_parted = std::ranges::any_of(saved.findings, [](const Finding& finding) {
      return finding.kind == FindingKind::divergence;
    });
    return has_parted ? status_finding : status_clean;
  }

  [[nodiscard]] FoundProgram program_of(const SavedRun& saved, const std::string& path) const {
    if (saved.program.kind == ProgramInfo::Kind::test) {
      throw UsageError("the log is of the C++ test '" + saved.program.name + "'", path,
                       "orrery replay --timeline runs it");
    }
    // On a page are the accesses of the log's data races, which only that image shows.
    const std::unique_ptr<Detector> detector = graph_ ? detector_for(saved) : nullptr;
    FoundProgram program = find_program_of(saved, path, program_path_.value_or(""), false,
                                           MachineFlags{}, detector.get());
    use_unchanged_inputs(program, saved, path);
    return program;
  }

  void add_beside(GraphFile& page) const {
    SavedRun other = load_run(*beside_);
    const FoundProgram program = program_of(other, *beside_);
    page.add(program, other, *beside_);
  }

  void check_flags(const Console& console) const {
    if (beside_ && !graph_) {
      throw UsageError("there is no page for that log", "--beside", "name a page with --graph");
    }
    if (export_path_ && !export_) {
      throw UsageError("nothing is exported", "-o", "say with --export in which format");
    }
    const bool is_on_standard_output = export_ && !export_path_;
    const bool has_more = wants_timeline_ || wants_races_ || graph_ || console.is_json;
    if (is_on_standard_output && has_more) {
      throw UsageError("standard output cannot have the export as well", "--export",
                       "name a file with -o");
    }
  }

  static std::string extent_of(const AccessRecords& accesses) {
    std::string text = fmt::format("{} in order in {}, {}",
                                   counted(accesses.ordered_count(), "access", "accesses"),
                                   counted(accesses.turn_count(), "turn", "turns"),
                                   counted(accesses.variables, "variable", "variables"));
    if (accesses.reads == AccessRecords::Reads::in_order) return text;
    text += ", " + counted(accesses.value_count(), "value", "values");
    if (accesses.reads == AccessRecords::Reads::by_value) return text;
    return text + ", " + counted(accesses.bound_count(), "bound", "bounds");
  }

  /// What the log has of the run.
  static std::string extent_of(const SavedRun& saved) {
    if (saved.method != schedule_method) {
      if (saved.stamps.operation_count() != 0) {
        return fmt::format("{} with stamps, {} kept",
                           counted(saved.stamps.operation_count(), "operation", "operations"),
                           saved.stamps.mark_count());
      }
      if (follows_memory(saved.method)) return extent_of(saved.accesses);
      std::size_t accesses = 0;
      for (const HistoryTape& tape : saved.tapes) accesses += tape.entries.size();
      return (saved.tapes.empty() ? std::string()
                                  : counted(accesses, "access", "accesses") + ", ") +
             fmt::format("{}, {}", counted(saved.messages.message_count(), "message", "messages"),
                         counted(saved.messages.other_count(), "other outcome", "other outcomes"));
    }
    return fmt::format(
        "{}, {}", counted(saved.schedule.steps(), "step", "steps"),
        counted(saved.schedule.entries.size() - saved.schedule.steps(), "answer", "answers"));
  }

  static void print_text(const Console& console, const SavedRun& saved, const std::string& method,
                         const std::string& directory, const std::string& timeline) {
    const Paint paint = Paint::for_stream(console, 1);
    const RunSettings& run = saved.settings;
    std::string text = fmt::format(
        "program:   {}\nnetwork:   {}\nstrategy:  {}\nrun:       {} of seed {}, window {}\n"
        "recorded:  {} (method {})\n",
        program_text(saved.program),
        saved.program.platform.empty() ? "the default one" : saved.program.platform,
        run.strategy.empty() ? "not known" : run.strategy, run.run_index, run.seed,
        duration_text(run.window), extent_of(saved), method);
    if (!run.faults.is_empty()) text += "faults:    " + orrery::text(run.faults) + "\n";
    if (saved.schedule.entries_lost != 0) {
      text += counted(saved.schedule.entries_lost, "more was", "more were") + " not kept\n";
    }
    SourceLines sources(directory);
    text += saved.findings.empty() ? "no finding\n"
                                   : "\n" + findings_text(saved.findings, paint, sources);
    if (saved.checkpoints) text += intervals_text(*saved.checkpoints);
    if (!timeline.empty()) text += "\n" + timeline;
    print_out(text);
  }

  static void print_json(const SavedRun& saved, const std::string& method, const std::string& path,
                         const std::string& timeline, const std::optional<Json>& races,
                         const std::optional<GraphFile>& page) {
    JsonReport json;
    json.command = "show";
    json.program = saved.program.name;
    json.seed = saved.settings.seed;
    json.runs = 1;
    json.steps = saved.schedule.steps();
    json.outcome = saved.findings.empty() ? "clean" : "finding";
    for (const Finding& finding : saved.findings) json.findings.push_back({finding, path});
    json.stats = {{"kind", std::string(orrery::name(saved.program.kind))},
                  {"method", method},
                  {"path", saved.program.path},
                  {"arguments", saved.program.arguments},
                  {"ranks", saved.program.ranks},
                  {"platform", saved.program.platform},
                  {"strategy", saved.settings.strategy},
                  {"run_index", saved.settings.run_index},
                  {"window", duration_text(saved.settings.window)},
                  {"faults", orrery::text(saved.settings.faults)}};
    if (saved.checkpoints) json.stats["intervals"] = intervals_json(*saved.checkpoints);
    if (!timeline.empty()) json.stats["timeline"] = timeline;
    if (races) json.stats["races"] = *races;
    if (page) json.stats["graph"] = page->json();
    print_out(json_text(to_json(json)));
  }

  bool wants_timeline_ = false;
  bool wants_races_ = false;
  std::optional<std::string> graph_;
  std::optional<std::string> beside_;
  std::optional<std::string> export_;
  std::optional<std::string> export_path_;
  std::optional<std::string> program_path_;
};

}  // namespace

std::unique_ptr<Command> make_show_command() {
  return std::make_unique<ShowCommand>();
}

}  // namespace orrery::cli
