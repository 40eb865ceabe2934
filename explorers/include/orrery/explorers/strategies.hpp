// Every strategy, by name: the one table where a new one is registered.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/explorers/strategy.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/replay_core/schedule.hpp>

namespace orrery {

/// One line of the table of strategies.
struct StrategyEntry {
  std::string_view name;         ///< as written on the command line
  std::string_view description;  ///< one line, for `orrery list strategies`
  std::string_view options;      ///< the keys that it takes, with their defaults
  std::unique_ptr<Strategy> (*make)(const NameWithOptions& given);
};

/// All strategies of this library, in the order in which they are listed.
[[nodiscard]] std::span<const StrategyEntry> strategy_table();

/// Makes the strategy that `text` names: `NAME[:key=value,...]`.  `where` is the flag or argument
/// to name in errors.  `more` are entries of the caller's own; they come first.  Throws
/// `UsageError` for unknown names and keys (suggesting the nearest) and bad values.
///
///     auto strategy = make_strategy("pct:depth=3,steps=200", "--strategy");
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(std::string_view text,
                                                      std::string_view where = {},
                                                      std::span<const StrategyEntry> more = {});

/// The strategy `around:file=PATH` with a schedule that is here: the neighbours of that run, the
/// nearest first.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy_around(Schedule schedule, std::string path);

}  // namespace orrery
