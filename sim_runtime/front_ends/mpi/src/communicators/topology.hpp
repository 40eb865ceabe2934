// How the ranks of a communicator are arranged (MPI 3.1, chapter 7).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace orrery::mpi {

enum class TopologyKind : std::uint8_t { cartesian, graph, distributed_graph };

/// What MPI_Graph_create is given.
struct Graph {
  std::vector<int> index;  ///< where the edges of each node end in `edges`
  std::vector<int> edges;
  bool operator==(const Graph&) const = default;
};

/// The graphs of a job: the ranks of a communicator have one together.
class Graphs {
 public:
  /// The graph of the communicator with this context, which its first rank to ask has given.
  std::shared_ptr<const Graph> share(std::uint32_t context, Graph graph) {
    std::weak_ptr<const Graph>& known = graphs_[context];
    if (auto shared = known.lock(); shared != nullptr && *shared == graph) return shared;
    std::erase_if(graphs_, [&](const auto& entry) {
      return entry.first != context && entry.second.expired();
    });
    auto made = std::make_shared<const Graph>(std::move(graph));
    graphs_[context] = made;
    return made;
  }

 private:
  std::map<std::uint32_t, std::weak_ptr<const Graph>> graphs_;
};

/// The arrangement as one rank sees it.
struct Topology {
  TopologyKind kind = TopologyKind::cartesian;

  /// Neighbours in the order in which the neighbourhood collectives use them (section 7.6): where
  /// blocks come from, and where they go.  May contain MPI_PROC_NULL at the edge of a grid.
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> destinations;

  // Of Cartesian ones.
  std::vector<int> dims;
  std::vector<int> periods;
  std::vector<int> coords;  ///< of this rank

  std::shared_ptr<const Graph> graph;  ///< of graphs, shared by all ranks

  // Of distributed graphs.
  bool weighted = false;
  std::vector<int> source_weights;
  std::vector<int> destination_weights;

  /// The rank at these coordinates of a Cartesian topology; -1 outside of it.
  [[nodiscard]] std::int32_t rank_at(const int* coordinates) const;
  void coordinates_of(std::int32_t rank, int* coordinates) const;
  [[nodiscard]] std::int32_t node_count() const;
};

/// A grid as `rank` sees it.
std::shared_ptr<const Topology> make_cartesian(std::int32_t rank, std::vector<int> dims,
                                               std::vector<int> periods);

}  // namespace orrery::mpi
