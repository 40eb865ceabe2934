// The JSON object, one of the three contracts that outsiders lean on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery::cli {

/// Keeps the order of the contract.
using Json = nlohmann::ordered_json;

/// The fields of the object that `--json` prints.
struct JsonReport {
  struct Found {
    Finding finding;
    std::string log;  ///< empty: not saved
  };
  std::string command;
  std::string program;
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::int64_t virtual_time_ns = 0;
  std::string outcome = "clean";
  std::string output;
  std::vector<Found> findings;
  Json stats = Json::object();
};
[[nodiscard]] Json to_json(const JsonReport& report);

/// One place of a finding, as in the list `where`.
[[nodiscard]] Json to_json(const FindingPlace& place);

/// Of each kind of fault in the plan: how often it could have struck, and did.
[[nodiscard]] Json faults_json(const FaultPlan& plan, const FaultCounts& counts);

/// The object for status 2.
[[nodiscard]] Json error_object(const UsageError& error);

/// As text with a newline at the end; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const Json& value);

}  // namespace orrery::cli
