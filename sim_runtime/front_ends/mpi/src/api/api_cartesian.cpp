// MPI 3.1, sections 7.5.1, 7.5.5 to 7.5.8: Cartesian topologies.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "communicators/topologies.hpp"

using namespace orrery::mpi;

namespace {

struct Grid {
  Communicator* communicator = nullptr;
  const Topology* topology = nullptr;
  [[nodiscard]] int dimension_count() const { return static_cast<int>(topology->dims.size()); }
};

int check_grid(const Call& call, MPI_Comm comm, Grid& grid) {
  if (const int error =
          check_topology(call, comm, TopologyKind::cartesian, "7.5.5", grid.communicator))
    return error;
  grid.topology = grid.communicator->topology.get();
  return MPI_SUCCESS;
}

// The number of nodes of a grid, which must not be more than the ranks there are.
int check_dims(const Call& call, const Communicator& old, int ndims, const int* dims,
               const int* periods, int& node_count) {
  if (ndims < 0)
    return call.fail(&old, MPI_ERR_DIMS,
                     "argument ndims is %d, and must not be negative (MPI 3.1, section 7.5.1)",
                     ndims);
  if (ndims > 0) {
    if (const int error = call.check_input(dims, "dims")) return error;
    if (const int error = call.check_input(periods, "periods")) return error;
  }
  std::int64_t nodes = 1;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    if (dims[dimension] <= 0)
      return call.fail(&old, MPI_ERR_DIMS,
                       "argument dims[%d] is %d, and must be at least 1 (MPI 3.1, section 7.5.1)",
                       dimension, dims[dimension]);
    nodes *= dims[dimension];
    if (nodes > old.size)
      return call.fail(&old, MPI_ERR_DIMS,
                       "argument dims is a grid of more nodes than %s has ranks, which are %d (MPI "
                       "3.1, section 7.5.1)",
                       old.name, old.size);
  }
  node_count = static_cast<int>(nodes);
  return MPI_SUCCESS;
}

// Some dimensions are kept; the values in the others are the color of a sub-grid.
Topology sub_topology(const Topology& whole, const int* remain, std::int32_t& color) {
  Topology part;
  color = 0;
  for (std::size_t dimension = 0; dimension < whole.dims.size(); ++dimension) {
    if (remain[dimension] != 0) {
      part.dims.push_back(whole.dims[dimension]);
      part.periods.push_back(whole.periods[dimension]);
    } else {
      color = color * whole.dims[dimension] + whole.coords[dimension];
    }
  }
  return part;
}

}  // namespace

ORRERY_MPI_API int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[],
                                   const int periods[], int reorder, MPI_Comm* comm_cart) {
  (void)reorder;
  const Call call = ORRERY_CALL("MPI_Cart_create");
  Communicator* old = nullptr;
  int nodes = 0;
  if (const int error = check_base(call, old_comm, "7.5.1", old)) return error;
  if (const int error = call.check_result(comm_cart, "comm_cart")) return error;
  if (const int error = check_dims(call, *old, ndims, dims, periods, nodes)) return error;
  Communicator* made = nullptr;
  *comm_cart = MPI_COMM_NULL;
  Shape shape{nodes};
  const auto dimension_count = static_cast<std::size_t>(ndims);
  shape.add({dims, dimension_count});
  for (std::size_t dimension = 0; dimension < dimension_count; ++dimension)
    shape.add(std::array{periods[dimension] != 0 ? 1 : 0});
  if (const int error = make_for_nodes(call, *old, shape, made)) return error;
  if (made == nullptr) return MPI_SUCCESS;
  made->topology = make_cartesian(made->rank, {dims, dims + ndims}, {periods, periods + ndims});
  *comm_cart = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_create);

ORRERY_MPI_API int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  const Call call = ORRERY_CALL("MPI_Cartdim_get");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  if (const int error = call.check_result(ndims, "ndims")) return error;
  *ndims = grid.dimension_count();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cartdim_get);

ORRERY_MPI_API int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[],
                                int coords[]) {
  const Call call = ORRERY_CALL("MPI_Cart_get");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  const int needed = grid.dimension_count();
  if (const int error = check_room(call, *grid.communicator, "maxdims", maxdims, needed))
    return error;
  if (needed == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(dims, "dims")) return error;
  if (const int error = call.check_result(periods, "periods")) return error;
  if (const int error = call.check_result(coords, "coords")) return error;
  std::copy(grid.topology->dims.begin(), grid.topology->dims.end(), dims);
  std::transform(grid.topology->periods.begin(), grid.topology->periods.end(), periods,
                 [](int period) { return period != 0 ? 1 : 0; });
  std::copy(grid.topology->coords.begin(), grid.topology->coords.end(), coords);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_get);

ORRERY_MPI_API int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  const Call call = ORRERY_CALL("MPI_Cart_rank");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  if (const int error = call.check_result(rank, "rank")) return error;
  if (grid.dimension_count() > 0) {
    if (const int error = call.check_input(coords, "coords")) return error;
  }
  for (std::size_t dimension = 0; dimension < grid.topology->dims.size(); ++dimension) {
    const int extent = grid.topology->dims[dimension];
    const bool is_inside = coords[dimension] >= 0 && coords[dimension] < extent;
    if (!is_inside && grid.topology->periods[dimension] == 0)
      return call.fail(grid.communicator, MPI_ERR_ARG,
                       "argument coords[%zu] is %d, but that dimension is not periodic and goes "
                       "from 0 to %d (MPI 3.1, section 7.5.5)",
                       dimension, coords[dimension], extent - 1);
  }
  *rank = grid.topology->rank_at(coords);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_rank);

ORRERY_MPI_API int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  const Call call = ORRERY_CALL("MPI_Cart_coords");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  if (const int error = check_member(call, *grid.communicator, rank)) return error;
  const int needed = grid.dimension_count();
  if (const int error = check_room(call, *grid.communicator, "maxdims", maxdims, needed))
    return error;
  if (needed == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(coords, "coords")) return error;
  grid.topology->coordinates_of(rank, coords);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_coords);

ORRERY_MPI_API int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source,
                                  int* rank_dest) {
  const Call call = ORRERY_CALL("MPI_Cart_shift");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  if (direction < 0 || direction >= grid.dimension_count())
    return call.fail(grid.communicator, MPI_ERR_DIMS,
                     "argument direction is %d, and the grid has %d dimensions, counted from 0 "
                     "(MPI 3.1, section 7.5.6)",
                     direction, grid.dimension_count());
  if (const int error = call.check_result(rank_source, "rank_source")) return error;
  if (const int error = call.check_result(rank_dest, "rank_dest")) return error;
  const auto dimension = static_cast<std::size_t>(direction);
  const Topology& topology = *grid.topology;
  const auto extent = static_cast<std::int64_t>(topology.dims[dimension]);
  std::int64_t stride = 1;
  for (std::size_t later = dimension + 1; later < topology.dims.size(); ++later)
    stride *= topology.dims[later];
  const auto neighbour = [&](std::int64_t distance) -> int {
    std::int64_t at = topology.coords[dimension] + distance;
    if (topology.periods[dimension] == 0 && (at < 0 || at >= extent)) return MPI_PROC_NULL;
    at = (at % extent + extent) % extent;
    return grid.communicator->rank + static_cast<int>((at - topology.coords[dimension]) * stride);
  };
  *rank_source = neighbour(-static_cast<std::int64_t>(disp));
  *rank_dest = neighbour(disp);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_shift);

ORRERY_MPI_API int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* new_comm) {
  const Call call = ORRERY_CALL("MPI_Cart_sub");
  Grid grid;
  if (const int error = check_grid(call, comm, grid)) return error;
  if (grid.dimension_count() > 0) {
    if (const int error = call.check_input(remain_dims, "remain_dims")) return error;
  }
  if (const int error = call.check_result(new_comm, "newcomm")) return error;
  std::int32_t color = 0;
  sub_topology(*grid.topology, remain_dims, color);
  if (const int error =
          split_communicator(call, *grid.communicator, color, grid.communicator->rank, new_comm))
    return error;
  Topology part = sub_topology(*grid.topology, remain_dims, color);
  (*new_comm)->topology =
      make_cartesian((*new_comm)->rank, std::move(part.dims), std::move(part.periods));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_sub);

ORRERY_MPI_API int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                                int* newrank) {
  const Call call = ORRERY_CALL("MPI_Cart_map");
  Communicator* old = nullptr;
  int nodes = 0;
  if (const int error = check_base(call, comm, "7.5.8", old)) return error;
  if (const int error = call.check_result(newrank, "newrank")) return error;
  if (const int error = check_dims(call, *old, ndims, dims, periods, nodes)) return error;
  *newrank = old->rank < nodes ? old->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cart_map);
