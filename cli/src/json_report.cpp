#include "json_report.hpp"

namespace orrery::cli {

Json to_json(const Finding& finding) {
  Json places = Json::array();
  for (const FindingPlace& place : finding.where) {
    places.push_back({{"file", place.file},
                      {"line", place.line},
                      {"function", place.function},
                      {"task", place.task},
                      {"role", place.role}});
  }
  return {{"kind", std::string(name(finding.kind))},
          {"message", finding.message},
          {"where", std::move(places)}};
}

Finding finding_from(const Json& value) {
  Finding finding;
  const auto kind = finding_kind(value.at("kind").get<std::string>());
  detail::ensure(kind.has_value(), "a run's own process names kinds of findings that exist");
  finding.kind = *kind;
  finding.message = value.at("message").get<std::string>();
  for (const Json& one : value.at("where")) {
    finding.where.push_back({.file = one.at("file").get<std::string>(),
                             .line = one.at("line").get<std::uint32_t>(),
                             .function = one.at("function").get<std::string>(),
                             .task = one.at("task").get<std::string>(),
                             .role = one.at("role").get<std::string>()});
  }
  return finding;
}

Json to_json(const JsonReport& report) {
  Json findings = Json::array();
  for (const JsonReport::Found& found : report.findings) {
    Json one = to_json(found.finding);
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

Json error_object(const UsageError& error) {
  return {{"orrery", 1},
          {"outcome", "error"},
          {"error", {{"what", error.problem()}, {"where", error.where()}, {"hint", error.hint()}}}};
}

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace orrery::cli
