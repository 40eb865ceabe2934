// Who knows how much of whom, counted in operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "event_graph.hpp"
#include "order/happens_before.hpp"

namespace orrery::detail {

/// Follows happens-before, whose clocks count stretches between releases, and tells what changes as
/// numbers of operations: so every operation has a date of its own in a vector clock.
class EventClocks {
 public:
  void clear();
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  /// An event of a task's own, of the operation with this number in the graph; `is_new`: the first
  /// of that operation.  Adds to `changes`.
  void on_event(const Event& event, std::uint32_t operation, bool is_new,
                std::vector<GraphKnowledge>& changes);

 private:
  struct Life {
    std::uint32_t operations = 0;
    std::vector<std::uint32_t> at_end;  ///< how many, at the end of each stretch that is over
    std::vector<std::uint32_t> known;   ///< of each task, as told last
  };
  Life& life(std::uint32_t task);
  void close_stretches(TaskId task);
  [[nodiscard]] std::uint32_t operations_in(std::uint32_t task, std::uint32_t clock);

  HappensBefore order_;
  std::vector<Life> lives_;
};

}  // namespace orrery::detail
