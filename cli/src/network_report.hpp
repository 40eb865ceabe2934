// What a network did in a run, for people and for scripts.
#pragma once

#include <string>

#include <orrery/network_model/network_statistics.hpp>

#include "console.hpp"
#include "json_report.hpp"

namespace orrery::cli {

/// The object `stats.network`: times are whole picoseconds.
[[nodiscard]] Json network_json(const NetworkStatistics& statistics);
/// And back.
[[nodiscard]] NetworkStatistics network_from(const Json& value);

/// Tables of hosts, stations and links, the busiest first, within 100 columns.
[[nodiscard]] std::string network_text(const NetworkStatistics& statistics, const Paint& paint);

}  // namespace orrery::cli
