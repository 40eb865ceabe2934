#include <algorithm>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::string_view mended_suffix = ":mended";

bool names_line(const FindingPlace& place, const ExpectedFinding& expected) {
  return place.line == expected.line && std::string_view(place.file).ends_with(expected.file);
}

}  // namespace

SimulationOptions any_order_options() {
  SimulationOptions options;
  options.window = any_order;
  options.step_limit = 10'000;
  return options;
}

SimulationOptions with_faults(std::string_view faults) {
  SimulationOptions options = any_order_options();
  options.faults = parse_faults(faults);
  return options;
}

SimulationOptions timed_with_faults(std::string_view faults) {
  SimulationOptions options = with_faults(faults);
  options.window = VirtualDuration::zero();
  return options;
}

std::span<const Scenario> scenario_table() {
  static const std::vector<Scenario> table{
      lost_update(),
      dining_philosophers(),
      lost_wakeup(),
      use_before_initialisation(),
      double_checked_initialisation(),
      bounded_buffer(),
      wildcard_race(),
      head_to_head_sends(),
      timeout_reply(),
      leader_election(),
      repeated_request(),
      unanswered_request(),
      booked_twice(),
      unchecked_payload(),
      late_heartbeat(),
      two_primaries(),
      missing_chunk(),
      stale_write(),
      full_buffers(),
      early_reply(),
      stamped_writes(),
  };
  return table;
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : scenario_table()) {
    names.emplace_back(scenario.name);
    names.push_back(names.back() + std::string(mended_suffix));
  }
  return names;
}

std::optional<NamedProgram> find_program(std::string_view name) {
  std::string_view base = name;
  const bool is_mended = base.ends_with(mended_suffix);
  if (is_mended) base.remove_suffix(mended_suffix.size());

  const auto table = scenario_table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Scenario& entry) { return entry.name == base; });
  if (found == table.end()) return std::nullopt;
  return NamedProgram{std::string(name), &*found, is_mended};
}

NamedProgram program(std::string_view name, std::string_view where) {
  if (auto found = find_program(name)) return *std::move(found);
  throw UsageError("there is no scenario '" + std::string(name) + "'", std::string(where),
                   name_hint(name, program_names()));
}

bool is_expected(const Scenario& scenario, const Finding& finding) {
  return finding.kind == scenario.expected.kind &&
         std::any_of(finding.where.begin(), finding.where.end(), [&](const FindingPlace& place) {
           return names_line(place, scenario.expected);
         });
}

}  // namespace orrery::scenarios
