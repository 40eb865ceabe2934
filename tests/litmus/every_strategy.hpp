// The strategies that search: all of the table but those that take a log.
#pragma once

#include <string>
#include <vector>

#include <orrery/explorers/strategies.hpp>

namespace orrery::litmus {

inline std::vector<std::string> every_strategy() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : strategy_table()) {
    if (entry.options != "file=") names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace orrery::litmus
