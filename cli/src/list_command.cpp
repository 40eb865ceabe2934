// `orrery list`: the names that other commands take.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/event_exports.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "command.hpp"
#include "json_report.hpp"

namespace orrery::cli {
namespace {

struct Entry {
  std::string name;
  std::string description;
  std::string options;
  /// Of a recorder that real runs are recorded by: what it takes there.
  std::optional<std::string> options_on_real_cores = {};
};
using Entries = std::vector<Entry>;

Entries all_scenarios() {
  Entries entries;
  for (const auto& one : scenarios::scenario_table()) {
    entries.push_back({std::string(one.name), std::string(one.summary), {}});
  }
  return entries;
}

Entries all_strategies() {
  Entries entries;
  for (const StrategyEntry& one : strategy_table()) {
    entries.push_back(
        {std::string(one.name), std::string(one.description), std::string(one.options)});
  }
  return entries;
}

Entries all_networks() {
  Entries entries;
  for (const NetworkEntry& one : network_table()) {
    entries.push_back(
        {std::string(one.name), std::string(one.description), std::string(one.options)});
  }
  return entries;
}

Entries all_recorders() {
  Entries entries;
  for (const RecorderKind& one : recorders()) {
    Entry entry{std::string(one.name), std::string(one.description),
                one.options_text(RecordedOn::simulation)};
    if (one.records_real != RealPrograms::none) {
      entry.options_on_real_cores = one.options_text(RecordedOn::real_cores);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Entries all_faults() {
  Entries entries;
  for (const FaultEntry& one : fault_table()) {
    const std::string_view how_often =
        one.is_of_messages ? "=PROBABILITY (0.01)" : "=TIMES A RUN (1)";
    std::string form(name(one.kind));
    form += how_often;
    if (one.usual_duration != VirtualDuration::zero()) {
      form += ":DURATION (" + duration_text(one.usual_duration) + ")";
    }
    entries.push_back({std::string(name(one.kind)), std::string(one.description), form});
  }
  return entries;
}

Entries all_detectors() {
  Entries entries;
  for (const DetectorKind& one : detectors()) {
    entries.push_back({std::string(one.name), std::string(one.description), {}});
  }
  return entries;
}

Entries all_exports() {
  Entries entries;
  for (const EventExport& one : event_exports()) {
    entries.push_back({std::string(one.name), std::string(one.description), {}});
  }
  return entries;
}

struct Topic {
  std::string_view name;
  Entries (*entries)();
  std::string_view remark;
};
constexpr Topic topics[] = {
    {"scenarios", all_scenarios, "NAME:mended is the twin without the bug"},
    {"strategies", all_strategies, ""},
    {"networks", all_networks, ""},
    {"recorders", all_recorders,
     "of run and replay, by --record FILE --method NAME; on real cores of record, by --method "
     "NAME"},
    {"faults", all_faults,
     "MPI: lost messages are sent again (resend=DURATION), or break connections (unreliable)"},
    {"detectors", all_detectors, "of run, explore and replay, by --detect NAME"},
    {"exports", all_exports, "of show, by --export NAME"},
};

std::string text_of(const Topic& topic, const Paint& paint) {
  const Entries entries = topic.entries();
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  std::string text;
  for (const Entry& entry : entries) {
    text += paint.bold(entry.name) + std::string(width - entry.name.size() + 2, ' ') +
            entry.description + "\n";
    const std::string margin(width + 2, ' ');
    if (!entry.options.empty()) text += margin + entry.options + "\n";
    if (!entry.options_on_real_cores) continue;
    const std::string& there = *entry.options_on_real_cores;
    text += margin + "on real cores" + (there.empty() ? ", without options" : ": " + there) + "\n";
  }
  if (!topic.remark.empty()) text += paint.faint(topic.remark) + "\n";
  return text;
}

Json json_of(const Topic& topic) {
  Json entries = Json::array();
  for (const Entry& entry : topic.entries()) {
    entries.push_back(
        {{"name", entry.name}, {"description", entry.description}, {"options", entry.options}});
    if (!entry.options_on_real_cores) continue;
    entries.back()["options_on_real_cores"] = *entry.options_on_real_cores;
  }
  JsonReport report;
  report.command = "list";
  report.stats = {{std::string(topic.name), std::move(entries)}};
  return to_json(report);
}

class ListCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "list"; }
  [[nodiscard]] std::string_view summary() const override {
    return "the names that the other commands take";
  }
  [[nodiscard]] std::string_view operands() const override {
    return "scenarios|strategies|networks|recorders|faults|detectors|exports";
  }
  void declare(Flags&) override {}

  int run(const Console& console, const Operands& operands) override {
    const std::string& wanted = only_operand(operands, "list", "what to list");
    std::vector<std::string> names;
    for (const Topic& topic : topics) {
      names.emplace_back(topic.name);
      if (topic.name != wanted) continue;
      print_out(console.is_json ? json_text(json_of(topic))
                                : text_of(topic, Paint::for_stream(console, 1)));
      return status_clean;
    }
    throw UsageError("there is no list of '" + wanted + "'", "orrery list",
                     name_hint(wanted, names));
  }
};

}  // namespace

std::unique_ptr<Command> make_list_command() {
  return std::make_unique<ListCommand>();
}

}  // namespace orrery::cli
