#include "finding_json.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <orrery/explorers/finding_json.hpp>

namespace orrery {
namespace detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const SourceFrame& frame) {
  return {{"file", frame.file}, {"line", frame.line}, {"function", frame.function}};
}

OrderedJson to_json(const Finding& finding) {
  OrderedJson places = OrderedJson::array();
  for (const FindingPlace& place : finding.where) places.push_back(detail::to_json(place));
  OrderedJson value = {{"kind", std::string(name(finding.kind))}};
  if (!finding.class_name.empty()) value["class"] = finding.class_name;
  if (finding.exit_code) value["exit_code"] = *finding.exit_code;
  value["message"] = finding.message;
  value["where"] = std::move(places);
  if (!finding.notes.empty()) value["notes"] = finding.notes;
  if (finding.confirmation != Confirmation::none) {
    value["confirmed"] = finding.confirmation == Confirmation::confirmed;
  }
  return value;
}

SourceFrame frame_from_json(const OrderedJson& value) {
  return {value.at("file").get<std::string>(), value.at("line").get<std::uint32_t>(),
          value.at("function").get<std::string>()};
}

Finding finding_from_json(const OrderedJson& value) {
  Finding finding;
  const auto kind = finding_kind(value.at("kind").get<std::string>());
  if (!kind) throw std::out_of_range("unknown kind of finding");
  finding.kind = *kind;
  if (value.contains("class")) value.at("class").get_to(finding.class_name);
  if (value.contains("exit_code")) finding.exit_code = value.at("exit_code").get<std::int32_t>();
  value.at("message").get_to(finding.message);
  for (const OrderedJson& one : value.at("where")) {
    finding.where.push_back(place_from_json(one));
  }
  if (value.contains("notes")) value.at("notes").get_to(finding.notes);
  if (value.contains("confirmed")) {
    finding.confirmation =
        value.at("confirmed").get<bool>() ? Confirmation::confirmed : Confirmation::unconfirmed;
  }
  return finding;
}

}  // namespace

OrderedJson to_json(const FindingPlace& place) {
  OrderedJson value = {{"file", place.file},
                       {"line", place.line},
                       {"function", place.function},
                       {"task", place.task},
                       {"role", place.role}};
  if (!place.stack.empty()) {
    OrderedJson& stack = value["stack"] = OrderedJson::array();
    for (const SourceFrame& frame : place.stack) stack.push_back(to_json(frame));
  }
  if (place.locks) {
    OrderedJson& locks = value["locks"] = OrderedJson::array();
    for (const HeldLock& one : *place.locks) {
      locks.push_back({{"lock", one.lock}, {"file", one.file}, {"line", one.line}});
    }
  }
  return value;
}

FindingPlace place_from_json(const OrderedJson& value) {
  FindingPlace place;
  value.at("file").get_to(place.file);
  value.at("line").get_to(place.line);
  value.at("function").get_to(place.function);
  value.at("task").get_to(place.task);
  value.at("role").get_to(place.role);
  if (value.contains("stack")) {
    for (const OrderedJson& frame : value.at("stack"))
      place.stack.push_back(frame_from_json(frame));
  }
  if (value.contains("locks")) {
    place.locks.emplace();
    for (const OrderedJson& lock : value.at("locks")) {
      place.locks->push_back({lock.at("lock").get<std::string>(),
                              lock.at("file").get<std::string>(),
                              lock.at("line").get<std::uint32_t>()});
    }
  }
  return place;
}

OrderedJson to_json(std::span<const Finding> findings) {
  OrderedJson values = OrderedJson::array();
  for (const Finding& finding : findings) values.push_back(to_json(finding));
  return values;
}

std::vector<Finding> findings_from_json(const OrderedJson& value) {
  std::vector<Finding> findings;
  for (const OrderedJson& one : value) findings.push_back(finding_from_json(one));
  return findings;
}

}  // namespace detail

std::string json_text(std::span<const Finding> findings) {
  return detail::to_json(findings).dump(-1, ' ', false,
                                        nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<Finding> findings_from_json_text(std::string_view text) {
  return detail::findings_from_json(nlohmann::ordered_json::parse(text));
}

}  // namespace orrery
