#include "report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery {
namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string indented(std::string_view block, std::string_view indent) {
  std::string result;
  while (!block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    result += fmt::format("{}{}\n", indent, block.substr(0, end));
    block.remove_prefix(std::min(end + 1, block.size()));
  }
  return result;
}

std::string text(const FindingPlace& place) {
  std::string line = place.task;
  if (!place.role.empty()) line += (line.empty() ? "" : " ") + place.role;
  if (!place.file.empty()) line += fmt::format(" at {}:{}", place.file, place.line);
  if (!place.function.empty()) line += fmt::format(" in {}", place.function);
  for (const std::string& caller : callers(place)) line += fmt::format("\n  {}", caller);
  return line;
}

std::string text(const Finding& finding) {
  std::string result = fmt::format("{}: {}\n", finding.title(), finding.message);
  for (const FindingPlace& place : finding.where) result += indented(text(place), "  ");
  for (const std::string& note : finding.notes) result += fmt::format("  {}\n", note);
  return result;
}

std::string text(const FoundRun& found) {
  std::string result = text(found.finding);
  for (const Finding& other : found.others) result += text(other);
  result += fmt::format("  first in run {}, seen in {}\n", found.run_index,
                        counted(found.count, "run", "runs"));
  if (found.shrunk) {
    result += fmt::format("  shrunk from {}\n         to {}\n", text(found.cost_before),
                          text(found.cost_after));
  }
  if (!found.timeline.empty()) result += "  timeline:\n" + indented(found.timeline, "    ");
  if (!found.output.empty()) result += "  output:\n" + indented(found.output, "    ");
  if (!found.log_path.empty()) result += fmt::format("  log: {}\n", found.log_path);
  if (!found.replay_command.empty()) result += fmt::format("  replay: {}\n", found.replay_command);
  return result;
}

}  // namespace

std::string text(const RunCost& cost) {
  return fmt::format(
      "{}, {}, {} reordered, {}", counted(cost.preemptions, "preemption", "preemptions"),
      counted(cost.deviations, "deviation", "deviations"),
      counted(cost.reordered, "message", "messages"), counted(cost.steps, "step", "steps"));
}

bool Report::has_missed_its_faults() const {
  return !fault_plan.is_empty() && !faults.has_fired();
}

Report::Outcome Report::outcome() const {
  if (!findings.empty()) return Outcome::finding;
  return limits.empty() && !has_missed_its_faults() ? Outcome::clean : Outcome::limit;
}

int Report::exit_status() const {
  switch (outcome()) {
    case Outcome::clean: return 0;
    case Outcome::finding: return 1;
    case Outcome::limit: break;
  }
  return 3;
}

std::string_view name(Report::Outcome outcome) {
  switch (outcome) {
    case Report::Outcome::clean: return "clean";
    case Report::Outcome::finding: return "finding";
    case Report::Outcome::limit: break;
  }
  return "limit";
}

std::string faults_text(const Report& report) {
  if (report.fault_plan.is_empty()) return {};
  std::string result = "faults:";
  for (const FaultEntry& entry : fault_table()) {
    if (!report.fault_plan[entry.kind].is_on) continue;
    const auto index = static_cast<std::size_t>(entry.kind);
    result += fmt::format(" {} {} of {},", name(entry.kind), report.faults.fired.at(index),
                          report.faults.possible.at(index));
  }
  result.back() = ';';
  result += fmt::format(" {} without any\n", counted(report.runs_without_fault, "run", "runs"));
  if (report.has_missed_its_faults()) {
    result += "no fault ever struck: this search is no test of them\n";
  }
  return result;
}

std::string text(const Report& report) {
  if (report.replayed && report.runs == 0) {
    return fmt::format("'{}' was not run: ORRERY_REPLAY names the log of another search\n",
                       report.name);
  }
  std::string result = fmt::format(
      "{}: {} under {} with seed {}, {}{}, {}\n", report.name, counted(report.runs, "run", "runs"),
      report.strategy, report.seed, report.distinct_is_exact ? "" : "at least ",
      counted(report.distinct_schedules, "distinct schedule", "distinct schedules"),
      counted(report.steps, "step", "steps"));
  if (!report.snapshot_at.empty()) {
    result += fmt::format("all from one snapshot, at the first call of {}\n", report.snapshot_at);
  }
  if (report.complete) result += "complete: every schedule within the strategy's bounds was run\n";
  if (report.interrupted) result += "interrupted: --resume goes on from here\n";
  for (const LimitedRuns& limited : report.limits) {
    result +=
        fmt::format("{} stopped at the limit {}, run {} first\n",
                    counted(limited.count, "run", "runs"), name(limited.limit), limited.run_index);
  }
  result += faults_text(report);
  if (report.findings.empty()) result += "no findings\n";
  for (const FoundRun& found : report.findings) result += text(found);
  return result;
}

}  // namespace orrery
