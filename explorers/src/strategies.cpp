#include "strategies.hpp"

#include <string>
#include <vector>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "strategy_kinds.hpp"

namespace orrery {
namespace {

constexpr StrategyEntry table[] = {
    {"random", "every answer drawn by its weight", "", detail::make_random},
    {"pct", "random priorities and few changes of them (Burckhardt et al. 2010)",
     "depth=3,steps=200", detail::make_pct},
    {"pos", "random priorities, drawn again where operations race (Yuan et al. 2018)", "",
     detail::make_pos},
    {"round_robin", "the tasks take turns; each run has turns of another length", "stride=1",
     detail::make_round_robin},
    {"exhaustive", "every answer to every question, depth first",
     "preemptions=any,values=16,depth=1000000", detail::make_exhaustive},
    {"around", "the neighbours of one recorded run, the nearest first",
     "file=", detail::make_around},
    {"replay", "the choices of one log", "file=", detail::make_replay},
};

const StrategyEntry* find(std::span<const StrategyEntry> entries, std::string_view wanted) {
  for (const StrategyEntry& entry : entries) {
    if (entry.name == wanted) return &entry;
  }
  return nullptr;
}

}  // namespace

std::span<const StrategyEntry> strategy_table() {
  return table;
}

std::unique_ptr<Strategy> make_strategy(std::string_view text, std::string_view where,
                                        std::span<const StrategyEntry> more) {
  const NameWithOptions given = NameWithOptions::parse(text, where);
  const StrategyEntry* entry = find(more, given.name());
  if (entry == nullptr) entry = find(table, given.name());
  if (entry != nullptr) return entry->make(given);
  std::vector<std::string> names;
  for (const StrategyEntry& one : more) names.emplace_back(one.name);
  for (const StrategyEntry& one : table) names.emplace_back(one.name);
  throw UsageError("there is no strategy '" + given.name() + "'", std::string(where),
                   name_hint(given.name(), names));
}

}  // namespace orrery
