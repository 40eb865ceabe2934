// MPI 3.1, sections 7.5.3, 7.5.5 and 7.5.8: graph topologies.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "communicators/topologies.hpp"

using namespace orrery::mpi;

namespace {

int check_graph(const Call& call, MPI_Comm comm, Communicator*& found) {
  return check_topology(call, comm, TopologyKind::graph, "7.5.5", found);
}

// The nodes and edges that a program gives.
int check_nodes(const Call& call, const Communicator& old, int nnodes, const int* index,
                const int* edges) {
  if (nnodes < 0 || nnodes > old.size)
    return call.fail(&old, MPI_ERR_ARG,
                     "argument nnodes is %d, and must be 0 to %d, the number of ranks of %s (MPI "
                     "3.1, section 7.5.3)",
                     nnodes, old.size, old.name);
  if (nnodes == 0) return MPI_SUCCESS;
  if (const int error = call.check_input(index, "index")) return error;
  int before = 0;
  for (int node = 0; node < nnodes; ++node) {
    if (index[node] < before)
      return call.fail(&old, MPI_ERR_ARG,
                       "argument index[%d] is %d, and must not be less than what is before it, %d "
                       "(MPI 3.1, section 7.5.3)",
                       node, index[node], before);
    before = index[node];
  }
  if (before > 0) {
    if (const int error = call.check_input(edges, "edges")) return error;
  }
  for (int edge = 0; edge < before; ++edge)
    if (edges[edge] < 0 || edges[edge] >= nnodes)
      return call.fail(&old, MPI_ERR_ARG,
                       "argument edges[%d] is %d, but the nodes are 0 to %d (MPI 3.1, section "
                       "7.5.3)",
                       edge, edges[edge], nnodes - 1);
  return MPI_SUCCESS;
}

// Where the edges of a node lie.
std::pair<int, int> edges_of(const Graph& graph, int node) {
  const auto at = static_cast<std::size_t>(node);
  return {node == 0 ? 0 : graph.index[at - 1], graph.index[at]};
}

}  // namespace

ORRERY_MPI_API int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[],
                                    const int edges[], int reorder, MPI_Comm* comm_graph) {
  (void)reorder;
  const Call call = ORRERY_CALL("MPI_Graph_create");
  Communicator* old = nullptr;
  if (const int error = check_base(call, comm_old, "7.5.3", old)) return error;
  if (const int error = call.check_result(comm_graph, "comm_graph")) return error;
  if (const int error = check_nodes(call, *old, nnodes, index, edges)) return error;
  const auto node_count = static_cast<std::size_t>(nnodes);
  const int edge_count = nnodes == 0 ? 0 : index[nnodes - 1];
  Shape shape{nnodes};
  shape.add({index, node_count});
  shape.add({edges, static_cast<std::size_t>(edge_count)});
  Communicator* made = nullptr;
  *comm_graph = MPI_COMM_NULL;
  if (const int error = make_for_nodes(call, *old, shape, made)) return error;
  if (made == nullptr) return MPI_SUCCESS;
  auto topology = std::make_shared<Topology>();
  topology->kind = TopologyKind::graph;
  topology->graph = call.job.graphs().share(made->context,
                                            {{index, index + nnodes}, {edges, edges + edge_count}});
  const auto [begin, end] = edges_of(*topology->graph, made->rank);
  topology->sources.assign(edges + begin, edges + end);
  topology->destinations = topology->sources;
  made->topology = std::move(topology);
  *comm_graph = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graph_create);

ORRERY_MPI_API int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  const Call call = ORRERY_CALL("MPI_Graphdims_get");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  if (const int error = call.check_result(nnodes, "nnodes")) return error;
  if (const int error = call.check_result(nedges, "nedges")) return error;
  *nnodes = static_cast<int>(communicator->topology->graph->index.size());
  *nedges = static_cast<int>(communicator->topology->graph->edges.size());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graphdims_get);

ORRERY_MPI_API int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[],
                                 int edges[]) {
  const Call call = ORRERY_CALL("MPI_Graph_get");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  const Graph& graph = *communicator->topology->graph;
  const auto nodes = static_cast<int>(graph.index.size());
  const auto edge_count = static_cast<int>(graph.edges.size());
  if (const int error = check_room(call, *communicator, "maxindex", maxindex, nodes)) return error;
  if (const int error = check_room(call, *communicator, "maxedges", maxedges, edge_count))
    return error;
  if (const int error = call.check_result(index, "index")) return error;
  if (edge_count > 0) {
    if (const int error = call.check_result(edges, "edges")) return error;
  }
  std::copy(graph.index.begin(), graph.index.end(), index);
  std::copy(graph.edges.begin(), graph.edges.end(), edges);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graph_get);

ORRERY_MPI_API int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  const Call call = ORRERY_CALL("MPI_Graph_neighbors_count");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  if (const int error = check_member(call, *communicator, rank)) return error;
  if (const int error = call.check_result(nneighbors, "nneighbors")) return error;
  const auto [begin, end] = edges_of(*communicator->topology->graph, rank);
  *nneighbors = end - begin;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graph_neighbors_count);

ORRERY_MPI_API int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  const Call call = ORRERY_CALL("MPI_Graph_neighbors");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  if (const int error = check_member(call, *communicator, rank)) return error;
  const Graph& graph = *communicator->topology->graph;
  const auto [begin, end] = edges_of(graph, rank);
  if (const int error = check_room(call, *communicator, "maxneighbors", maxneighbors, end - begin))
    return error;
  if (end == begin) return MPI_SUCCESS;
  if (const int error = call.check_result(neighbors, "neighbors")) return error;
  std::copy(graph.edges.begin() + begin, graph.edges.begin() + end, neighbors);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graph_neighbors);

ORRERY_MPI_API int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                                 int* newrank) {
  const Call call = ORRERY_CALL("MPI_Graph_map");
  Communicator* old = nullptr;
  if (const int error = check_base(call, comm, "7.5.8", old)) return error;
  if (const int error = call.check_result(newrank, "newrank")) return error;
  if (const int error = check_nodes(call, *old, nnodes, index, edges)) return error;
  *newrank = old->rank < nnodes ? old->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Graph_map);

ORRERY_MPI_API int MPI_Topo_test(MPI_Comm comm, int* status) {
  const Call call = ORRERY_CALL("MPI_Topo_test");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_result(status, "status")) return error;
  *status = MPI_UNDEFINED;
  if (communicator->topology == nullptr) return MPI_SUCCESS;
  switch (communicator->topology->kind) {
    case TopologyKind::cartesian: *status = MPI_CART; break;
    case TopologyKind::graph: *status = MPI_GRAPH; break;
    case TopologyKind::distributed_graph: *status = MPI_DIST_GRAPH; break;
  }
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Topo_test);
