// Lines of the programs that tests build, as reports name them.
#pragma once

#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace orrery::test {

/// The first line, from 1 on, on which a text stands in a source; fails where it does not.
[[nodiscard]] int line_of(const std::string& source, const std::string& text);

/// Of each data race in a report with `--json` both lines, the smaller one first.
[[nodiscard]] std::set<std::pair<int, int>> racing_lines(const nlohmann::json& report);

}  // namespace orrery::test
