#include "finding_json.hpp"

#include <stdexcept>
#include <string>

namespace orrery::detail {

using nlohmann::json;

json to_json(const Finding& finding) {
  json places = json::array();
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

json to_json(const std::vector<Finding>& findings) {
  json values = json::array();
  for (const Finding& finding : findings) values.push_back(to_json(finding));
  return values;
}

Finding finding_from_json(const json& value) {
  Finding finding;
  const auto kind = finding_kind(value.at("kind").get<std::string>());
  if (!kind) throw std::out_of_range("unknown kind of finding");
  finding.kind = *kind;
  value.at("message").get_to(finding.message);
  for (const json& one : value.at("where")) {
    FindingPlace place;
    one.at("file").get_to(place.file);
    one.at("line").get_to(place.line);
    one.at("function").get_to(place.function);
    one.at("task").get_to(place.task);
    one.at("role").get_to(place.role);
    finding.where.push_back(std::move(place));
  }
  return finding;
}

std::vector<Finding> findings_from_json(const json& value) {
  std::vector<Finding> findings;
  for (const json& one : value) findings.push_back(finding_from_json(one));
  return findings;
}

}  // namespace orrery::detail
