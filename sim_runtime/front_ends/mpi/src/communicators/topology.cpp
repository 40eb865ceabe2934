#include "topology.hpp"

#include <utility>

#include "../include/mpi.h"

namespace orrery::mpi {

std::int32_t Topology::node_count() const {
  if (kind == TopologyKind::graph) return static_cast<std::int32_t>(graph->index.size());
  std::int32_t count = 1;
  for (const int extent : dims) count *= extent;
  return count;
}

std::int32_t Topology::rank_at(const int* coordinates) const {
  std::int32_t rank = 0;
  for (std::size_t dimension = 0; dimension < dims.size(); ++dimension) {
    const int extent = dims[dimension];
    int coordinate = coordinates[dimension];
    if (coordinate < 0 || coordinate >= extent) {
      if (periods[dimension] == 0) return -1;
      coordinate = (coordinate % extent + extent) % extent;
    }
    rank = rank * extent + coordinate;
  }
  return rank;
}

void Topology::coordinates_of(std::int32_t rank, int* coordinates) const {
  for (std::size_t dimension = dims.size(); dimension-- > 0;) {
    coordinates[dimension] = rank % dims[dimension];
    rank /= dims[dimension];
  }
}

std::shared_ptr<const Topology> make_cartesian(std::int32_t rank, std::vector<int> dims,
                                               std::vector<int> periods) {
  auto topology = std::make_shared<Topology>();
  topology->dims = std::move(dims);
  topology->periods = std::move(periods);
  topology->coords.resize(topology->dims.size());
  topology->coordinates_of(rank, topology->coords.data());
  // Down and up in each dimension (section 7.6).
  std::vector<int> at = topology->coords;
  for (std::size_t dimension = 0; dimension < at.size(); ++dimension) {
    for (const int step : {-1, 1}) {
      at[dimension] = topology->coords[dimension] + step;
      const std::int32_t neighbour = topology->rank_at(at.data());
      topology->sources.push_back(neighbour < 0 ? MPI_PROC_NULL : neighbour);
    }
    at[dimension] = topology->coords[dimension];
  }
  topology->destinations = topology->sources;
  return topology;
}

}  // namespace orrery::mpi
