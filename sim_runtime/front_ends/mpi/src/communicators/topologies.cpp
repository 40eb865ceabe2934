#include "topologies.hpp"

#include <numeric>
#include <vector>

namespace orrery::mpi {
namespace {

const char* noun(TopologyKind kind) {
  if (kind == TopologyKind::cartesian) return "Cartesian topology";
  return kind == TopologyKind::graph ? "graph topology" : "distributed graph topology";
}

}  // namespace

int check_topology(const Call& call, MPI_Comm comm, TopologyKind kind, const char* section,
                   Communicator*& found) {
  if (const int error = call.check_communicator(comm, found)) return error;
  if (found->topology != nullptr && found->topology->kind == kind) return MPI_SUCCESS;
  return call.fail(
      found, MPI_ERR_TOPOLOGY, "%s has %s%s, and this call needs a %s (MPI 3.1, section %s)",
      found->name, found->topology == nullptr ? "no topology" : "a ",
      found->topology == nullptr ? "" : noun(found->topology->kind), noun(kind), section);
}

int check_base(const Call& call, MPI_Comm comm, const char* section, Communicator*& found) {
  if (const int error = call.check_communicator(comm, found)) return error;
  return check_intracommunicator(call, *found, "comm_old", section);
}

int check_member(const Call& call, const Communicator& communicator, int rank) {
  if (rank >= 0 && rank < communicator.size) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_RANK,
                   "argument rank is %d, but the ranks of %s are 0 to %d (MPI 3.1, section 7.5)",
                   rank, communicator.name, communicator.size - 1);
}

int check_room(const Call& call, const Communicator& communicator, const char* argument, int room,
               int needed) {
  if (room >= needed) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_ARG,
                   "argument %s is %d, and there are %d values to give (MPI 3.1, section 7.5)",
                   argument, room, needed);
}

int make_for_nodes(const Call& call, Communicator& old, const Shape& shape, Communicator*& made) {
  const int node_count = shape.node_count;
  Assembly assembly(call, old, sizeof(shape.digest));
  made = nullptr;
  if (const int error = assembly.exchange(&shape.digest)) return error;
  const auto digests = assembly.items<std::uint64_t>();
  for (std::int32_t rank = 0; rank < old.size; ++rank)
    if (digests[static_cast<std::size_t>(rank)] != shape.digest)
      return call.fail(&old, MPI_ERR_TOPOLOGY,
                       "rank %d of %s gives another topology than rank %d: all must give the same "
                       "(MPI 3.1, section 7.5)",
                       rank, old.name, old.rank);
  if (old.rank >= node_count) return MPI_SUCCESS;
  const auto& group = assembly.shared<SharedMembership>([&] {
    if (node_count == old.size) return old.group;
    std::vector<std::int32_t> ranks;
    for (int rank = 0; rank < node_count; ++rank) ranks.push_back(old.world_rank(rank));
    return call.job.memberships().share(ranks);
  });
  made = make_communicator(call, old, assembly.key(group->world_rank(0)), group, nullptr);
  return MPI_SUCCESS;
}

}  // namespace orrery::mpi
