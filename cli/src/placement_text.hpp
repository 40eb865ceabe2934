// Where ranks run, for people and for scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A line if there are hosts with more than one rank, else empty.  `hosts` are those of the ranks.
[[nodiscard]] std::string placement_text(const std::vector<std::uint32_t>& hosts);
/// The object `stats.placement`.
[[nodiscard]] Json placement_json(const std::vector<std::uint32_t>& hosts);

/// The hosts of a program whose ranks are known before it runs; empty for the others.
[[nodiscard]] std::vector<std::uint32_t> hosts_of(const FoundProgram& program);

}  // namespace orrery::cli
