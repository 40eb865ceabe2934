#include "graph_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "finding_text.hpp"
#include "network_report.hpp"
#include "run_graph.hpp"

namespace orrery::cli {
namespace {

// Each message and each receive takes a number for each task, where races are marked.
constexpr std::uint64_t race_bytes_max = std::uint64_t{2} << 30U;

std::uint64_t events_of(const SavedRun& run) {
  if (run.method == schedule_method) return run.schedule.steps();
  return run.messages.message_count() + run.messages.other_count();
}

bool can_mark_races(const SavedRun& run) {
  const std::uint64_t tasks = std::uint64_t{run.program.ranks} + 1;
  return events_of(run) < race_bytes_max / (sizeof(std::uint32_t) * tasks);
}

std::string program_line(const ProgramInfo& program) {
  std::string text = program.name;
  for (const std::string& argument : program.arguments) text += " " + shell_word(argument);
  return text;
}

GraphPageText text_of(const SavedRun& run, const std::string& log_path, bool are_races_marked) {
  const RunSettings& settings = run.settings;
  const std::string network =
      run.program.platform.empty() ? "the default one" : run.program.platform;
  GraphPageText text;
  text.name = log_path.substr(log_path.rfind('/') + 1);
  text.program = program_line(run.program);
  if (run.program.ranks != 0) text.summary = counted(run.program.ranks, "rank", "ranks") + ", ";
  text.summary +=
      fmt::format("network {}, run {} of seed {}", network, settings.run_index, settings.seed);
  text.about = {{"log", log_path},
                {"program", text.program},
                {"path", run.program.path},
                {"network", network},
                {"strategy", settings.strategy.empty() ? "not known" : settings.strategy},
                {"seed", std::to_string(settings.seed)},
                {"run", std::to_string(settings.run_index)},
                {"window", duration_text(settings.window)},
                {"method", run.method}};
  std::erase_if(text.about, [](const auto& one) { return one.second.empty(); });
  if (!settings.faults.is_empty()) text.about.emplace_back("faults", orrery::text(settings.faults));
  if (!are_races_marked) {
    text.notices.emplace_back("Messages that race are not marked: the run is too long for that.");
  }
  return text;
}

std::vector<Finding> data_races_of(const SavedRun& run) {
  std::vector<Finding> races;
  std::ranges::copy_if(run.findings, std::back_inserter(races), [](const Finding& finding) {
    return finding.kind == FindingKind::data_race && finding.where.size() >= 2;
  });
  return races;
}

std::FILE* temporary_file() {
  std::FILE* const file = std::tmpfile();
  if (file != nullptr) return file;
  throw UsageError(std::string("no temporary file can be made: ") + std::strerror(errno), "--graph",
                   "make room in the directory for temporary files");
}

// From the run's process to this one.
Json json_of(const GraphPageExtent& extent) {
  return {{"operations", extent.operations},
          {"messages", extent.messages},
          {"pieces", extent.pieces},
          {"messages_shown", extent.messages_shown}};
}

GraphPageExtent extent_from(const Json& value) {
  return {value.at("operations").get<std::uint64_t>(), value.at("messages").get<std::uint64_t>(),
          value.at("pieces").get<std::uint64_t>(), value.at("messages_shown").get<std::uint64_t>()};
}

}  // namespace

GraphFile::GraphFile(std::string path)
    : path_(std::move(path)), target_(OutputTarget::Sort::file, path_, "--graph", "--graph") {}

void GraphFile::add(const FoundProgram& program, SavedRun& run, const std::string& log_path) {
  Part part{log_path, {}, can_mark_races(run), nullptr};
  part.file.reset(temporary_file());
  const GraphPageText text = text_of(run, log_path, part.are_races_marked);
  const CheckpointedRun* const checkpoints = run.checkpoints ? &*run.checkpoints : nullptr;
  const auto write = [&](const EventGraph& graph, const Simulation& simulation, Json& more) {
    GraphPageText own = text;
    own.network = json_text(network_json(simulation.network_statistics()));
    more["extent"] =
        json_of(write_page_run(graph, own, checkpoints, {.are_races_marked = part.are_races_marked},
                               fileno(part.file.get())));
  };
  const Json more = with_graph_of(program, run, log_path,
                                  {.options = {.marks_races = part.are_races_marked,
                                               .keeps_knowledge = false,
                                               .data_races = data_races_of(run)},
                                   .wants_statistics = true,
                                   .use = write});
  part.extent = extent_from(more.at("extent"));
  parts_.push_back(std::move(part));
}

void GraphFile::finish() {
  std::vector<int> runs;
  for (const Part& part : parts_) runs.push_back(fileno(part.file.get()));
  write_page(runs, target_.descriptor());
  target_.finish();
}

std::string GraphFile::text() const {
  std::string text = "graph:     " + path_ + "\n";
  for (const Part& part : parts_) {
    text += fmt::format("           {}: {}, {}\n", part.log_path,
                        counted(part.extent.operations, "operation", "operations"),
                        counted(part.extent.messages, "message", "messages"));
    if (part.extent.is_thinned()) text += "           " + thinning_text(part.extent) + "\n";
    if (!part.are_races_marked)
      text += "           races are not marked: it is too long for that\n";
  }
  return text;
}

Json GraphFile::json() const {
  Json runs = Json::array();
  for (const Part& part : parts_) {
    Json run{{"log", part.log_path}};
    run.update(json_of(part.extent));
    run["is_thinned"] = part.extent.is_thinned();
    run["are_races_marked"] = part.are_races_marked;
    runs.push_back(std::move(run));
  }
  return {{"file", path_}, {"runs", std::move(runs)}};
}

}  // namespace orrery::cli
