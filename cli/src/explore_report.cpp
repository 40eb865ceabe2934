#include "explore_report.hpp"

#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "finding_text.hpp"
#include "placement_text.hpp"

namespace orrery::cli {
namespace {

std::string counts_text(const Report& report) {
  std::string text = fmt::format(
      "{}: {} under {} with seed {}, {}{}, {}\n", report.name, counted(report.runs, "run", "runs"),
      report.strategy, report.seed, report.distinct_is_exact ? "" : "at least ",
      counted(report.distinct_schedules, "distinct schedule", "distinct schedules"),
      counted(report.steps, "step", "steps"));
  if (report.abandoned != 0) {
    text += counted(report.abandoned, "run was", "runs were") + " given up as redundant\n";
  }
  if (!report.snapshot_at.empty()) {
    text += fmt::format("all from one snapshot, at the first call of {}\n", report.snapshot_at);
  }
  if (report.complete) text += "complete: every schedule within the strategy's bounds was run\n";
  text += faults_text(report);
  if (report.interrupted) text += "interrupted: --resume goes on from here\n";
  return text;
}

std::string cost_text(const FoundRun& found, std::uint64_t seed) {
  std::string text = fmt::format("run {} of seed {}", found.run_index, seed);
  if (found.count > 1) text += fmt::format(", seen in {} runs", found.count);
  if (!found.shrunk) return fmt::format("{}: {}\n", text, orrery::text(found.cost_before));
  return fmt::format("{}: {}\nmade small: {}\n", text, orrery::text(found.cost_before),
                     orrery::text(found.cost_after));
}

std::string found_text(const FoundRun& found, std::uint64_t seed, const Paint& paint,
                       SourceLines& sources) {
  std::string text = finding_text(found.finding, paint, sources);
  if (!found.others.empty()) text += findings_text(found.others, paint, sources);
  text += cost_text(found, seed);
  if (!found.timeline.empty()) text += "timeline:\n" + indented(found.timeline, "  ");
  if (!found.output.empty()) text += "output:\n" + indented(found.output, "  | ");
  if (!found.log_path.empty()) text += saved_text(found.log_path, found.replay_command, paint);
  if (!found.other_log_path.empty()) text += other_log_text(found.other_log_path);
  return text;
}

/// By line of the list.
std::vector<std::uint64_t> counts_by_line(const Report& report, const Suppressions& suppressions) {
  std::vector<std::uint64_t> counts(suppressions.lines().size());
  // A search that is resumed may have had another list.
  for (const auto& [line, count] : report.suppressed) {
    if (line < counts.size()) counts[line] = count;
  }
  return counts;
}

void add_suppressed(const Report& report, const Suppressions& suppressions, Json& stats) {
  if (report.suppressed.empty()) return;
  const std::vector<std::uint64_t> counts = counts_by_line(report, suppressions);
  stats["suppressed"] = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) stats["suppressed_by"][suppressions.lines()[i].text()] = counts[i];
  }
}

}  // namespace

std::string explore_text(const Report& report, const FoundProgram& program,
                         const Suppressions& suppressions, const Paint& paint) {
  SourceLines sources(program.directory);
  std::string text = counts_text(report);
  for (const LimitedRuns& limited : report.limits) {
    text += fmt::format("{} {}, run {} first\n", counted(limited.count, "run", "runs"),
                        paint.yellow(limit_text(limited.limit)), limited.run_index);
    if (limited.at) text += place_text(*limited.at, paint, sources);
    if (limited.log_path.empty()) continue;
    text += saved_text(limited.log_path, "orrery replay " + shell_word(limited.log_path), paint);
  }
  if (!report.suppressed.empty()) {
    const Finding remark = suppressed_remark(suppressions, counts_by_line(report, suppressions));
    text += fmt::format("{}: {}\n", remark.title(), remark.message);
  }
  if (report.findings.empty()) text += paint.green("no finding") + "\n";
  std::vector<Finding> all;
  for (const FoundRun& found : report.findings) {
    text += "\n" + found_text(found, report.seed, paint, sources);
    all.push_back(found.finding);
    all.insert(all.end(), found.others.begin(), found.others.end());
  }
  return text + unconfirmed_text(all);
}

JsonReport json_report(const Report& report, const FoundProgram& program,
                       const Suppressions& suppressions) {
  JsonReport json;
  json.command = "explore";
  json.program = program.search_name;
  json.seed = report.seed;
  json.runs = report.runs;
  json.steps = report.steps;
  json.virtual_time_ns = report.longest_virtual_time_ns;
  json.outcome = name(report.outcome());
  Json found_runs = Json::array();
  for (const FoundRun& found : report.findings) {
    json.findings.push_back({found.finding, found.log_path});
    for (const Finding& other : found.others) json.findings.push_back({other, found.log_path});
    found_runs.push_back({{"run_index", found.run_index},
                          {"runs", found.count},
                          {"preemptions", found.cost_after.preemptions},
                          {"deviations", found.cost_after.deviations},
                          {"messages_reordered", found.cost_after.reordered},
                          {"steps", found.cost_after.steps},
                          {"is_shrunk", found.shrunk.has_value()},
                          {"timeline", found.timeline},
                          {"replay", found.replay_command}});
    if (!found.other_log_path.empty()) found_runs.back()["other_log"] = found.other_log_path;
  }
  json.output = report.findings.empty() ? report.first_output : report.findings.front().output;
  Json limits = Json::array();
  for (const LimitedRuns& limited : report.limits) {
    limits.push_back({{"limit", std::string(name(limited.limit))},
                      {"runs", limited.count},
                      {"run_index", limited.run_index},
                      {"log", limited.log_path}});
    if (limited.at) limits.back()["at"] = to_json(*limited.at);
  }
  json.stats = {{"strategy", report.strategy},
                {"distinct_schedules", report.distinct_schedules},
                {"distinct_is_exact", report.distinct_is_exact},
                {"abandoned", report.abandoned},
                {"complete", report.complete},
                {"interrupted", report.interrupted},
                {"limits", std::move(limits)},
                {"found_runs", std::move(found_runs)}};
  add_suppressed(report, suppressions, json.stats);
  if (!report.snapshot_at.empty()) json.stats["snapshot_at"] = report.snapshot_at;
  const std::vector<std::uint32_t> hosts = hosts_of(program);
  if (!hosts.empty()) json.stats["placement"] = placement_json(hosts);
  if (!report.fault_plan.is_empty()) {
    json.stats["faults"] = faults_json(report.fault_plan, report.faults);
    json.stats["runs_without_fault"] = report.runs_without_fault;
  }
  return json;
}

}  // namespace orrery::cli
