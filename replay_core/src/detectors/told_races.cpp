#include "told_races.hpp"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace orrery::detail {
namespace {

nlohmann::json json_of(const FindingPlace& place) {
  return {place.file, place.line, place.function, place.task, place.role};
}

FindingPlace race_place_from(const nlohmann::json& value) {
  FindingPlace place;
  place.file = value[0].get<std::string>();
  place.line = value[1].get<std::uint32_t>();
  place.function = value[2].get<std::string>();
  place.task = value[3].get<std::string>();
  place.role = value[4].get<std::string>();
  return place;
}

nlohmann::json json_of(const Finding& finding) {
  nlohmann::json value{{"message", finding.message}, {"where", nlohmann::json::array()}};
  for (const FindingPlace& place : finding.where) value["where"].push_back(json_of(place));
  return value;
}

Finding race_from(const nlohmann::json& value) {
  Finding finding{FindingKind::data_race, value.at("message").get<std::string>(), {}};
  finding.class_name = parallel_segments;
  for (const auto& place : value.at("where")) finding.where.push_back(race_place_from(place));
  return finding;
}

nlohmann::json json_of(const RaceAccesses& race) {
  return {race.bytes.begin,     race.bytes.end,      race.variable.creator.value,
          race.variable.number, race.tasks[0].value, race.tasks[1].value,
          race.writes[0],       race.writes[1]};
}

RaceAccesses accesses_from(const nlohmann::json& value) {
  RaceAccesses race;
  value[0].get_to(race.bytes.begin);
  value[1].get_to(race.bytes.end);
  value[2].get_to(race.variable.creator.value);
  value[3].get_to(race.variable.number);
  value[4].get_to(race.tasks[0].value);
  value[5].get_to(race.tasks[1].value);
  value[6].get_to(race.writes[0]);
  value[7].get_to(race.writes[1]);
  return race;
}

}  // namespace

std::string tell_races(const RaceWatch& watch) {
  nlohmann::json value{{"findings", nlohmann::json::array()},
                       {"races", nlohmann::json::array()},
                       {"frontier", nlohmann::json::array()},
                       {"has_all", watch.has_seen_all()}};
  for (const Finding& finding : watch.findings()) value["findings"].push_back(json_of(finding));
  for (const RaceAccesses& race : watch.races()) value["races"].push_back(json_of(race));
  for (const FrontierPoint& point : watch.frontier()) {
    value["frontier"].push_back(json_of(watch.place_of(point)));
  }
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ToldRaces read_told_races(const std::string& told) {
  const auto value = nlohmann::json::parse(told);
  ToldRaces races;
  for (const auto& finding : value.at("findings")) races.findings.push_back(race_from(finding));
  for (const auto& race : value.at("races")) races.races.push_back(accesses_from(race));
  for (const auto& place : value.at("frontier")) {
    races.frontier.push_back(race_place_from(place));
  }
  races.has_all = value.at("has_all").get<bool>();
  return races;
}

}  // namespace orrery::detail
