#include "run_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/explorers/finding_json.hpp>
#include <orrery/network_model/duration_text.hpp>

#include "finding_text.hpp"
#include "network_report.hpp"
#include "placement_text.hpp"
#include "probe_effect.hpp"

namespace orrery::cli {
namespace {

std::string counts_text(const RunReport& report) {
  const Outcome& outcome = report.result->outcome;
  std::string text = fmt::format("run {} of seed {}: {}, ", report.run_index, report.seed,
                                 counted(outcome.steps, "step", "steps"));
  // What a run that died had counted is gone with it.
  if (!report.result->has_died) text += counted(outcome.messages, "message", "messages") + ", ";
  // A replay leaves nothing to choose: nobody is interrupted in it.
  if (report.command == "run" && !report.result->has_died) {
    text += counted(outcome.preemptions, "preemption", "preemptions") + ", ";
  }
  return text + fmt::format("virtual time {}\n", duration_text(outcome.end.since_start()));
}

/// Of a task that runs on and on.
std::string way_out(const FoundProgram& program) {
  const bool is_foreign = !program.remark.empty();
  return is_foreign ? "build it with orrery cc, and --preempt all lets that task go on"
                    : "--preempt all lets that task go on";
}

/// A line: `recording: kept 12, messages 63, ...`.
std::string counts_line(const std::string& title, const Json& counts) {
  std::string text;
  for (const auto& [name, count] : counts.items()) {
    text += (text.empty() ? title + ": " : ", ") + name + " " + count.dump();
  }
  return text + "\n";
}

/// What can no longer be replayed, and with `--stats` a line: `checkpoints: checkpoints 12, ...`.
std::string checkpoints_text(const Json& about) {
  std::string text;
  if (about.contains("problem")) {
    text += "not all checkpoints were saved: " + about.at("problem").get<std::string>() + "\n";
  }
  if (about.contains("dropped")) {
    text += fmt::format(
        "{} dropped to keep within the budget: their intervals cannot be replayed\n",
        counted(about.at("dropped").get<std::uint64_t>(), "checkpoint was", "checkpoints were"));
  }
  std::string counts;
  for (const auto& [name, count] : about.items()) {
    if (!count.is_number() || name == "dropped") continue;
    counts += (counts.empty() ? "checkpoints: " : ", ") + name + " " + count.dump();
  }
  return counts.empty() ? text : text + counts + "\n";
}

/// A line: `collectives: MPI_Bcast binomial tree 12, scatter and ring 3; MPI_Barrier ...`.
std::string collectives_text(const Json& collectives) {
  std::string text;
  for (const auto& [operation, algorithms] : collectives.items()) {
    text += (text.empty() ? "collectives: " : "; ") + operation;
    const char* separator = " ";
    for (const auto& [algorithm, count] : algorithms.items()) {
      text += fmt::format("{}{} {}", separator, algorithm, count.get<std::uint64_t>());
      separator = ", ";
    }
  }
  return text + "\n";
}

std::string text_of(const RunReport& report, const Paint& paint) {
  const IsolatedResult& result = *report.result;
  SourceLines sources(report.program->directory);
  std::string text = findings_text(result.outcome.findings, paint, sources);
  if (result.was_left) {
    text += paint.yellow("stopped before its end") + "\n";
  } else if (result.outcome.status == Outcome::Status::limit || result.outcome.spins_at) {
    text += paint.yellow(limit_text(result.outcome.limit)) + "\n";
    if (result.outcome.spins_at) {
      text += place_text(*result.outcome.spins_at, paint, sources);
      // It makes no steps; and what a replay does is the log's affair.
      const bool can_be_given = result.has_died && report.command != "replay";
      if (can_be_given) {
        text +=
            "if it waits there for what another task stores, " + way_out(*report.program) + "\n";
      }
    }
  } else if (result.outcome.findings.empty()) {
    text += paint.green("no finding") + "\n";
  }
  if (result.more.contains("remarks")) {
    text +=
        findings_text(findings_from_json_text(result.more.at("remarks").dump()), paint, sources);
  }
  text += counts_text(report) + placement_text(result.hosts);
  if (report.is_saved) {
    text += saved_text(report.log, "orrery replay " + shell_word(report.log), paint);
  }
  if (!report.other_log.empty()) {
    text += other_log_text(report.other_log);
  }
  if (!report.hint.empty()) text += report.hint + "\n";
  return text + unconfirmed_text(result.outcome.findings);
}

Json json_of(const RunReport& report) {
  const Outcome& outcome = report.result->outcome;
  JsonReport json;
  json.command = report.command;
  json.program = report.program->search_name;
  json.seed = report.seed;
  json.runs = 1;
  json.steps = outcome.steps;
  json.virtual_time_ns = outcome.end.nanoseconds();
  json.outcome = outcome_name(*report.result);
  json.output = outcome.output;
  for (const Finding& finding : outcome.findings) {
    json.findings.push_back({finding, report.log});
  }
  json.stats = {{"run_index", report.run_index}, {"has_died", report.result->has_died}};
  if (!report.result->has_died) json.stats["messages"] = outcome.messages;
  if (report.command == "run" && !report.result->has_died) {
    json.stats["questions"] = outcome.questions;
    json.stats["preemptions"] = outcome.preemptions;
  }
  const std::vector<std::uint32_t>& hosts = report.result->hosts;
  if (!hosts.empty()) json.stats["placement"] = placement_json(hosts);
  const FaultPlan& plan = report.program->machine.faults;
  if (!plan.is_empty()) json.stats["faults"] = faults_json(plan, outcome.faults);
  if (json.outcome == "limit") {
    if (outcome.spins_at) json.stats["spins_at"] = to_json(*outcome.spins_at);
    json.stats["limit"] = report.result->was_left ? "stopped" : std::string(name(outcome.limit));
  }
  json.stats.update(report.result->more);
  if (!report.other_log.empty()) json.stats["other_log"] = report.other_log;
  return to_json(json);
}

}  // namespace

void print_run(const Console& console, const RunReport& report) {
  if (console.is_json) {
    print_out(json_text(json_of(report)));
    return;
  }
  const Json& more = report.result->more;
  if (more.contains("timeline")) print_err(more.at("timeline").get<std::string>());
  const Paint paint = Paint::for_stream(console, STDERR_FILENO);
  if (!console.is_quiet || !report.result->outcome.findings.empty()) {
    print_err(text_of(report, paint));
  }
  // Asked for, so told to the quiet as well.
  if (more.contains("network")) print_err(network_text(network_from(more.at("network")), paint));
  for (const char* const title : {"inference", "replay", "recording", "detection"}) {
    if (more.contains(title)) print_err(counts_line(title, more.at(title)));
  }
  if (more.contains("probe_effect")) print_err(probe_effect_text(more.at("probe_effect")));
  if (more.contains("checkpoints")) print_err(checkpoints_text(more.at("checkpoints")));
  if (more.contains("collectives")) print_err(collectives_text(more.at("collectives")));
}

int exit_status(const IsolatedResult& result) {
  const std::string outcome = outcome_name(result);
  if (outcome == "finding") return status_finding;
  return outcome == "limit" ? status_limit : status_clean;
}

std::string outcome_name(const IsolatedResult& result) {
  if (!result.outcome.findings.empty()) return "finding";
  const bool is_cut = result.was_left || result.outcome.status == Outcome::Status::limit ||
                      result.outcome.status == Outcome::Status::abandoned;
  return is_cut ? "limit" : "clean";
}

}  // namespace orrery::cli
