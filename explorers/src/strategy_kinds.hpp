// The factories that `strategies.cpp` lists, one a strategy's source file.
#pragma once

#include <memory>
#include <string>

#include <orrery/explorers/strategy.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/replay_core/schedule.hpp>

namespace orrery::detail {

/// The run of the log that a strategy's option `file=` names; the strategy has no other option.
struct StrategyLog {
  std::string path;
  Schedule schedule;
};
/// Throws `UsageError` if there is no such log, or none with a schedule: `remedy` makes one.
[[nodiscard]] StrategyLog log_of_strategy(const NameWithOptions& given, const char* remedy);

std::unique_ptr<Strategy> make_random(const NameWithOptions& given);
std::unique_ptr<Strategy> make_round_robin(const NameWithOptions& given);
std::unique_ptr<Strategy> make_pct(const NameWithOptions& given);
std::unique_ptr<Strategy> make_pos(const NameWithOptions& given);
std::unique_ptr<Strategy> make_exhaustive(const NameWithOptions& given);
std::unique_ptr<Strategy> make_around(const NameWithOptions& given);
std::unique_ptr<Strategy> make_replay(const NameWithOptions& given);

}  // namespace orrery::detail
