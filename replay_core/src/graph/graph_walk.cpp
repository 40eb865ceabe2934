#include "graph_walk.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::detail {

MessageIndex::MessageIndex(const EventGraph& graph, std::uint32_t GraphMessage::*end)
    : graph_(graph), end_(end), order_(graph.messages.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph.messages[a].*end < graph.messages[b].*end;
  });
}

std::span<const std::uint32_t> MessageIndex::of(std::size_t operation) const {
  const auto end_at = [&](std::uint32_t message) -> std::size_t {
    return graph_.messages[message].*end_;
  };
  const auto first = std::lower_bound(
      order_.begin(), order_.end(), operation,
      [&](std::uint32_t message, std::size_t wanted) { return end_at(message) < wanted; });
  auto last = first;
  while (last != order_.end() && end_at(*last) == operation) ++last;
  return {order_.data() + (first - order_.begin()), static_cast<std::size_t>(last - first)};
}

std::vector<UnfinishedState> unfinished_states(const EventGraph& graph) {
  std::vector<VirtualTime> covered;
  for (const GraphTask& task : graph.tasks) covered.push_back(task.begin);
  for (const GraphOperation& one : graph.operations) covered[one.id.task.value] = one.end;
  std::vector<UnfinishedState> states;
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
    const GraphTask& task = graph.tasks[i];
    if (task.has_ended) continue;
    if (task.rest.empty() && covered[i] == task.end) continue;
    states.push_back(
        {i, covered[i], task.end, task.rest.empty() ? std::string_view("unfinished") : task.rest});
  }
  return states;
}

std::vector<GraphProcess> processes_of(const EventGraph& graph) {
  std::map<std::uint32_t, std::string_view> names;
  for (const GraphTask& task : graph.tasks) names.try_emplace(task.process.value, task.name);
  std::vector<GraphProcess> processes;
  for (const auto& [number, name] : names) processes.push_back({number, name});
  return processes;
}

std::string json_string(std::string_view text) {
  using Json = nlohmann::json;
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(OperationId id) {
  return fmt::format("{}.{}", id.task.value, id.number);
}

std::string date_text(VirtualTime date, int digits) {
  std::int64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  const std::int64_t picoseconds = date.picoseconds();
  return fmt::format("{}.{:0{}}", picoseconds / unit, picoseconds % unit, digits);
}

}  // namespace orrery::detail
