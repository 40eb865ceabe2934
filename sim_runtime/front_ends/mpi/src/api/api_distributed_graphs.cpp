// MPI 3.1, sections 7.5.4 and 7.5.5: distributed graph topologies.
#include <algorithm>
#include <memory>
#include <utility>

#include "communicators/topologies.hpp"

using namespace orrery::mpi;

namespace {

struct Edge {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t weight = 0;
};

// What each rank tells of the edges that it gives.
struct Offer {
  std::int32_t edge_count = 0;
  std::int32_t weighted = 0;
};

int check_nodes(const Call& call, const Communicator& old, int count, const int* nodes,
                const char* argument) {
  if (count < 0)
    return call.fail(&old, MPI_ERR_ARG,
                     "the number of elements of argument %s is %d, and must not be negative (MPI "
                     "3.1, section 7.5.4)",
                     argument, count);
  if (count == 0) return MPI_SUCCESS;
  if (const int error = call.check_input(nodes, argument)) return error;
  for (int index = 0; index < count; ++index)
    if (nodes[index] < 0 || nodes[index] >= old.size)
      return call.fail(&old, MPI_ERR_RANK,
                       "argument %s[%d] is %d, but the ranks of %s are 0 to %d (MPI 3.1, section "
                       "7.5.4)",
                       argument, index, nodes[index], old.name, old.size - 1);
  return MPI_SUCCESS;
}

int check_weights(const Call& call, const Communicator& old, int count, const int* weights,
                  const char* argument) {
  if (weights == MPI_UNWEIGHTED || count == 0) return MPI_SUCCESS;
  if (weights == MPI_WEIGHTS_EMPTY)
    return call.fail(&old, MPI_ERR_ARG,
                     "argument %s is MPI_WEIGHTS_EMPTY, but there are %d edges (MPI 3.1, section "
                     "7.5.4)",
                     argument, count);
  if (const int error = call.check_input(weights, argument)) return error;
  for (int index = 0; index < count; ++index)
    if (weights[index] < 0)
      return call.fail(&old, MPI_ERR_ARG,
                       "argument %s[%d] is %d, and a weight must not be negative (MPI 3.1, section "
                       "7.5.4)",
                       argument, index, weights[index]);
  return MPI_SUCCESS;
}

int check_same_weighting(const Call& call, const Communicator& old, std::span<const Offer> offers,
                         bool weighted) {
  for (std::int32_t rank = 0; rank < old.size; ++rank)
    if ((offers[static_cast<std::size_t>(rank)].weighted != 0) != weighted)
      return call.fail(&old, MPI_ERR_ARG,
                       "rank %d of %s gives weights and rank %d gives MPI_UNWEIGHTED, but all or "
                       "none must (MPI 3.1, section 7.5.4)",
                       weighted ? old.rank : rank, old.name, weighted ? rank : old.rank);
  return MPI_SUCCESS;
}

// The edges of all ranks, one rank's after the other's, come to all by messages.
class EdgeExchange {
 public:
  EdgeExchange(const Call& call, Communicator& communicator, std::span<const Offer> offers)
      : call_(call),
        communicator_(communicator),
        offers_(offers),
        key_{communicator.context, communicator.world_rank(0), communicator.collectives},
        notice_(call.job.blackboard().open(key_, communicator.size, 0)) {
    notice_.bytes.resize(offset_of(communicator.size));
  }
  ~EdgeExchange() { call_.job.blackboard().leave(key_); }
  EdgeExchange(const EdgeExchange&) = delete;
  EdgeExchange& operator=(const EdgeExchange&) = delete;

  [[nodiscard]] std::span<Edge> own() { return edges_of(communicator_.rank, 1); }
  [[nodiscard]] std::span<Edge> all() { return edges_of(0, communicator_.size); }

  // Up a binomial tree and down again.
  int run() {
    CollectiveCall arguments;
    arguments.name = call_.name;
    const Collective collective(call_, communicator_, arguments);
    const std::int32_t rank = communicator_.rank;
    const std::int32_t size = communicator_.size;
    std::int32_t distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
      if (rank + distance >= size) continue;
      const auto part = edges_of(rank + distance, distance);
      collective.receive(rank + distance, part.data(), part.size_bytes());
    }
    if (rank != 0) {
      const auto part = edges_of(rank, distance);
      collective.send(rank - distance, part.data(), part.size_bytes());
    }
    collective.broadcast(0, notice_.bytes.data(), notice_.bytes.size());
    return collective.error();
  }

 private:
  [[nodiscard]] std::size_t offset_of(std::int32_t rank) const {
    std::size_t edges = 0;
    for (const Offer& offer : offers_.first(static_cast<std::size_t>(rank)))
      edges += static_cast<std::size_t>(offer.edge_count);
    return edges * sizeof(Edge);
  }
  [[nodiscard]] std::span<Edge> edges_of(std::int32_t first, std::int32_t count) {
    const std::size_t begin = offset_of(first);
    const std::size_t end = offset_of(std::min(first + count, communicator_.size));
    void* const place = notice_.bytes.data() + begin;
    return {static_cast<Edge*>(place), (end - begin) / sizeof(Edge)};
  }

  const Call& call_;
  Communicator& communicator_;
  std::span<const Offer> offers_;
  Contexts::Key key_;
  Notice& notice_;
};

std::shared_ptr<Topology> own_part(std::span<const Edge> edges, std::int32_t rank, bool weighted) {
  auto topology = std::make_shared<Topology>();
  topology->kind = TopologyKind::distributed_graph;
  topology->weighted = weighted;
  for (const Edge& edge : edges) {
    if (edge.destination == rank) {
      topology->sources.push_back(edge.source);
      topology->source_weights.push_back(edge.weight);
    }
    if (edge.source == rank) {
      topology->destinations.push_back(edge.destination);
      topology->destination_weights.push_back(edge.weight);
    }
  }
  return topology;
}

int check_graph(const Call& call, MPI_Comm comm, Communicator*& found) {
  return check_topology(call, comm, TopologyKind::distributed_graph, "7.5.5", found);
}

// The first so many neighbours, with their weights if they are wanted.
int give_neighbours(const Call& call, const Topology& topology, bool of_sources, int room,
                    int* ranks, int* weights) {
  const auto& from = of_sources ? topology.sources : topology.destinations;
  const auto& weights_from = of_sources ? topology.source_weights : topology.destination_weights;
  if (const int error =
          call.check_count(nullptr, room, of_sources ? "maxindegree" : "maxoutdegree"))
    return error;
  const std::size_t count = std::min(from.size(), static_cast<std::size_t>(room));
  if (count == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(ranks, of_sources ? "sources" : "destinations"))
    return error;
  std::copy_n(from.begin(), count, ranks);
  if (!topology.weighted || weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY)
    return MPI_SUCCESS;
  if (const int error = call.check_result(weights, of_sources ? "sourceweights" : "destweights"))
    return error;
  std::copy_n(weights_from.begin(), count, weights);
  return MPI_SUCCESS;
}

int put_hints(const Call& call, MPI_Info info, Communicator& made) {
  const Info* hints = nullptr;
  if (const int error = check_info_or_null(call, info, "info", hints)) return error;
  if (hints != nullptr) made.hints = hints->entries;
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree,
                                                  const int sources[], const int sourceweights[],
                                                  int outdegree, const int destinations[],
                                                  const int destweights[], MPI_Info info,
                                                  int reorder, MPI_Comm* comm_dist_graph) {
  (void)reorder;
  const Call call = ORRERY_CALL("MPI_Dist_graph_create_adjacent");
  Communicator* old = nullptr;
  if (const int error = check_base(call, comm_old, "7.5.4", old)) return error;
  if (const int error = check_nodes(call, *old, indegree, sources, "sources")) return error;
  if (const int error = check_nodes(call, *old, outdegree, destinations, "destinations"))
    return error;
  if (const int error = check_weights(call, *old, indegree, sourceweights, "sourceweights"))
    return error;
  if (const int error = check_weights(call, *old, outdegree, destweights, "destweights"))
    return error;
  if (const int error = call.check_result(comm_dist_graph, "comm_dist_graph")) return error;
  if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
    return call.fail(
        old, MPI_ERR_ARG,
        "one of sourceweights and destweights is MPI_UNWEIGHTED, but both or none must "
        "be (MPI 3.1, section 7.5.4)");
  const bool weighted = sourceweights != MPI_UNWEIGHTED;
  const Offer offer{indegree, weighted ? 1 : 0};
  Assembly assembly(call, *old, sizeof(offer));
  if (const int error = assembly.exchange(&offer)) return error;
  if (const int error = check_same_weighting(call, *old, assembly.items<Offer>(), weighted))
    return error;
  Communicator* const made =
      make_communicator(call, *old, assembly.key(old->world_rank(0)), old->group, nullptr);
  auto topology = std::make_shared<Topology>();
  topology->kind = TopologyKind::distributed_graph;
  topology->weighted = weighted;
  topology->sources.assign(sources, sources + indegree);
  topology->destinations.assign(destinations, destinations + outdegree);
  if (weighted && indegree > 0)
    topology->source_weights.assign(sourceweights, sourceweights + indegree);
  if (weighted && outdegree > 0)
    topology->destination_weights.assign(destweights, destweights + outdegree);
  made->topology = std::move(topology);
  if (const int error = put_hints(call, info, *made)) return error;
  *comm_dist_graph = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Dist_graph_create_adjacent);

ORRERY_MPI_API int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int nodes[],
                                         const int degrees[], const int targets[],
                                         const int weights[], MPI_Info info, int reorder,
                                         MPI_Comm* newcomm) {
  (void)reorder;
  const Call call = ORRERY_CALL("MPI_Dist_graph_create");
  Communicator* old = nullptr;
  if (const int error = check_base(call, comm_old, "7.5.4", old)) return error;
  if (const int error = check_nodes(call, *old, n, nodes, "sources")) return error;
  if (const int error = call.check_result(newcomm, "comm_dist_graph")) return error;
  if (n > 0) {
    if (const int error = call.check_input(degrees, "degrees")) return error;
  }
  int edge_count = 0;
  for (int node = 0; node < n; ++node) {
    if (const int error = call.check_count(old, degrees[node], "degrees")) return error;
    edge_count += degrees[node];
  }
  if (const int error = check_nodes(call, *old, edge_count, targets, "destinations")) return error;
  if (const int error = check_weights(call, *old, edge_count, weights, "weights")) return error;
  const bool weighted = weights != MPI_UNWEIGHTED;
  const Offer offer{edge_count, weighted ? 1 : 0};
  Assembly assembly(call, *old, sizeof(offer));
  if (const int error = assembly.exchange(&offer)) return error;
  const auto offers = assembly.items<Offer>();
  if (const int error = check_same_weighting(call, *old, offers, weighted)) return error;
  EdgeExchange exchange(call, *old, offers);
  Edge* edge = exchange.own().data();
  for (int node = 0, index = 0; node < n; ++node)
    for (int degree = 0; degree < degrees[node]; ++degree, ++index)
      *edge++ = {nodes[node], targets[index], weighted ? weights[index] : 0};
  if (const int error = exchange.run()) return error;
  Communicator* const made =
      make_communicator(call, *old, assembly.key(old->world_rank(0)), old->group, nullptr);
  made->topology = own_part(exchange.all(), made->rank, weighted);
  if (const int error = put_hints(call, info, *made)) return error;
  *newcomm = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Dist_graph_create);

ORRERY_MPI_API int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* inneighbors,
                                                  int* outneighbors, int* weighted) {
  const Call call = ORRERY_CALL("MPI_Dist_graph_neighbors_count");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  if (const int error = call.check_result(inneighbors, "indegree")) return error;
  if (const int error = call.check_result(outneighbors, "outdegree")) return error;
  if (const int error = call.check_result(weighted, "weighted")) return error;
  *inneighbors = static_cast<int>(communicator->topology->sources.size());
  *outneighbors = static_cast<int>(communicator->topology->destinations.size());
  *weighted = communicator->topology->weighted ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Dist_graph_neighbors_count);

ORRERY_MPI_API int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[],
                                            int sourceweights[], int maxoutdegree,
                                            int destinations[], int destweights[]) {
  const Call call = ORRERY_CALL("MPI_Dist_graph_neighbors");
  Communicator* communicator = nullptr;
  if (const int error = check_graph(call, comm, communicator)) return error;
  const Topology& topology = *communicator->topology;
  if (const int error = give_neighbours(call, topology, true, maxindegree, sources, sourceweights))
    return error;
  return give_neighbours(call, topology, false, maxoutdegree, destinations, destweights);
}
ORRERY_PROFILED(MPI_Dist_graph_neighbors);
