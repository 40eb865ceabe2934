// What all exports need of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event_graph.hpp"

namespace orrery::detail {

/// The messages of each operation.
class MessageIndex {
 public:
  /// By `&GraphMessage::send` or `&GraphMessage::receive`.
  MessageIndex(const EventGraph& graph, std::uint32_t GraphMessage::*end);
  /// Numbers of the messages with this end, in the order in which they were sent.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t operation) const;

 private:
  const EventGraph& graph_;
  std::uint32_t GraphMessage::*end_;
  std::vector<std::uint32_t> order_;
};

/// What a task that has not ended was about after its last operation, up to the end of the run.
struct UnfinishedState {
  std::uint32_t task = 0;
  VirtualTime begin;
  VirtualTime end;
  std::string_view label;  ///< the graph's
};
[[nodiscard]] std::vector<UnfinishedState> unfinished_states(const EventGraph& graph);

/// Has the message been sent and received by operations that are in the graph?
[[nodiscard]] inline bool is_complete(const GraphMessage& message) {
  return message.send != GraphMessage::nobody && message.receive != GraphMessage::nobody;
}

/// A process and its tasks' name: that of its first task.
struct GraphProcess {
  std::uint32_t number = 0;
  std::string_view name;  ///< the graph's
};
/// Those that have tasks, by number.
[[nodiscard]] std::vector<GraphProcess> processes_of(const EventGraph& graph);

/// As a string of JSON, quotes included; what is no UTF-8 is replaced.
[[nodiscard]] std::string json_string(std::string_view text);
/// `3.17`: operation 17 of task 3.
[[nodiscard]] std::string text_of(OperationId id);
/// With so many digits behind the point: 12 for seconds, 6 for microseconds.
[[nodiscard]] std::string date_text(VirtualTime date, int digits);

}  // namespace orrery::detail
