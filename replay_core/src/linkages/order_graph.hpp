// Which access of a run has come before which, and one order that fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "large_vector.hpp"

namespace orrery::detail {

/// A graph of what came before what.  Nodes are numbered as they are added.
class OrderGraph {
 public:
  /// Why one came before the other.
  enum class Why : std::uint8_t {
    program,       ///< the same task did both
    order,         ///< the log has them so
    reads_from,    ///< the second has read what the first wrote
    reads_before,  ///< the first has read what the second has overwritten
    task,          ///< a start, or an end that was waited for
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Why why = Why::program;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  void clear();
  std::uint32_t add_node() { return nodes_++; }
  void add_edge(std::uint32_t from, std::uint32_t to, Why why) {
    edges_.push_back({from, to, why});
  }
  [[nodiscard]] std::uint32_t node_count() const { return nodes_; }

  /// All nodes, each behind those that came before it, otherwise by their numbers (Kahn 1962);
  /// nothing: there is a cycle.  O(nodes + edges), but for the choice of the lowest number.
  [[nodiscard]] std::optional<LargeVector<std::uint32_t>> sorted() const;
  /// The edges of a cycle, each beginning where the one before ends; none if there is none.
  [[nodiscard]] std::vector<Edge> cycle() const;

 private:
  [[nodiscard]] LargeVector<std::uint32_t> sort_what_can_be() const;

  std::uint32_t nodes_ = 0;
  LargeVector<Edge> edges_;
};

}  // namespace orrery::detail
