// A long run in fewer pieces, for who can only look at so many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "event_graph.hpp"

namespace orrery::detail {

/// What is left of a graph.  Pieces cover the same time as the operations did, task by task, so
/// that states over time stay true; messages are an even part of all, with those that race, and
/// their ends are pieces of their own.
struct ThinnedGraph {
  /// In the order in which they ended.  Each is a few neighbouring operations of one task: the
  /// longest of them says what it is, the first which, and the bytes are those of all.
  std::vector<GraphOperation> pieces;
  std::vector<std::uint32_t> operations_in;  ///< how many each stands for
  std::vector<GraphMessage> messages;        ///< of pieces
  std::vector<GraphRace> races;              ///< of these
  std::vector<GraphDataRace> data_races;     ///< of pieces
};

/// How much is kept: of operations about as many where there are more, of races at most.
struct ThinningLimits {
  std::size_t operations = 200'000;
  std::size_t races = 20'000;
};

/// All of it, where that is within the limits.
[[nodiscard]] ThinnedGraph thinned(const EventGraph& graph, const ThinningLimits& limits);

}  // namespace orrery::detail
