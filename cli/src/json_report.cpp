#include "json_report.hpp"

#include <orrery/explorers/finding_json.hpp>

namespace orrery::cli {

Json to_json(const JsonReport& report) {
  Json findings = Json::array();
  for (const JsonReport::Found& found : report.findings) {
    Json one = Json::parse(orrery::json_text({&found.finding, 1})).front();
    one["log"] = found.log.empty() ? Json() : Json(found.log);
    findings.push_back(std::move(one));
  }
  return {{"orrery", 1},
          {"command", report.command},
          {"program", report.program},
          {"seed", report.seed},
          {"runs", report.runs},
          {"steps", report.steps},
          {"virtual_time_ns", report.virtual_time_ns},
          {"outcome", report.outcome},
          {"output", report.output},
          {"findings", std::move(findings)},
          {"stats", report.stats}};
}

Json to_json(const FindingPlace& place) {
  const Finding finding{FindingKind::crash, {}, {place}};
  return Json::parse(orrery::json_text({&finding, 1})).front().at("where").front();
}

Json faults_json(const FaultPlan& plan, const FaultCounts& counts) {
  Json faults = Json::object();
  for (const FaultEntry& entry : fault_table()) {
    if (!plan[entry.kind].is_on) continue;
    const auto index = static_cast<std::size_t>(entry.kind);
    faults[std::string(name(entry.kind))] = {{"possible", counts.possible.at(index)},
                                             {"fired", counts.fired.at(index)}};
  }
  return faults;
}

Json error_object(const UsageError& error) {
  return {{"orrery", 1},
          {"outcome", "error"},
          {"error", {{"what", error.problem()}, {"where", error.where()}, {"hint", error.hint()}}}};
}

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace orrery::cli
