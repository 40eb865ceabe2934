// MPI 3.1, sections 7.6 and 7.7: collective operations among neighbours.
#include "collectives/collective_call.hpp"
#include "collectives/neighbourhoods.hpp"

using namespace orrery::mpi;

namespace {

enum class Variant : std::uint8_t { one_block, equal, varied, typed };

// One side of the operation, as the program gives it.
struct Side {
  Variant variant = Variant::equal;
  const void* buffer = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const MPI_Aint* byte_displacements = nullptr;
  MPI_Datatype type = nullptr;
  const MPI_Datatype* types = nullptr;
};

Side equal_side(Variant variant, const void* buffer, int count, MPI_Datatype type) {
  return {.variant = variant, .buffer = buffer, .count = count, .type = type};
}

Side varied_side(const void* buffer, const int* counts, const int* displacements,
                 MPI_Datatype type) {
  return {.variant = Variant::varied,
          .buffer = buffer,
          .counts = counts,
          .displacements = displacements,
          .type = type};
}

Side typed_side(const void* buffer, const int* counts, const MPI_Aint* displacements,
                const MPI_Datatype* types) {
  return {.variant = Variant::typed,
          .buffer = buffer,
          .counts = counts,
          .byte_displacements = displacements,
          .types = types};
}

int check_side(const Call& call, const Communicator& communicator, const Side& given,
               const BlockNames& names, std::int32_t number, const Datatype** types,
               RankBlocks& found) {
  found.buffer = const_cast<void*>(given.buffer);
  found.count = given.count;
  found.counts = given.counts;
  found.displacements = given.displacements;
  found.byte_displacements = given.byte_displacements;
  switch (given.variant) {
    case Variant::one_block: number = 1; break;
    case Variant::equal: break;
    case Variant::varied:
      return check_varied_blocks(call, communicator, given.type, names, number, found);
    case Variant::typed:
      return check_typed_blocks(call, communicator, given.types, names, number, types, found);
  }
  return check_blocks(call, communicator, given.type, names, number, found);
}

int exchange_with(const Call& call, const Side& sent, const Side& received, MPI_Comm comm,
                  const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (communicator->topology == nullptr)
    return call.fail(communicator, MPI_ERR_TOPOLOGY,
                     "%s has no topology, and so no neighbours (MPI 3.1, section 7.6)",
                     communicator->name);
  const Topology& topology = *communicator->topology;
  const std::size_t sources = topology.sources.size();
  const std::size_t destinations = topology.destinations.size();
  const Scratch types(call.state.scratch, (sources + destinations) * sizeof(const Datatype*));
  auto** const sent_types = types.array<const Datatype*>();
  CollectiveData data;
  if (const int error = check_side(call, *communicator, sent, sent_blocks,
                                   static_cast<std::int32_t>(destinations), sent_types, data.sent))
    return error;
  if (const int error =
          check_side(call, *communicator, received, received_blocks,
                     static_cast<std::int32_t>(sources), sent_types + destinations, data.received))
    return error;
  if (const int error = check_apart(call, *communicator, &data.sent, &data.received)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion, describe_varied_call(call, no_root), data,
                 [&topology](const Collective& collective, const RankBlocks& outgoing,
                             const RankBlocks& incoming) {
                   exchange_with_neighbours(collective, topology, outgoing, incoming);
                 });
}

}  // namespace

ORRERY_MPI_API int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm) {
  return exchange_with(ORRERY_CALL("MPI_Neighbor_allgather"),
                       equal_side(Variant::one_block, sendbuf, sendcount, sendtype),
                       equal_side(Variant::equal, recvbuf, recvcount, recvtype), comm,
                       Completion::blocking());
}
ORRERY_PROFILED(MPI_Neighbor_allgather);

ORRERY_MPI_API int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm,
                                           MPI_Request* request) {
  return exchange_with(ORRERY_CALL("MPI_Ineighbor_allgather"),
                       equal_side(Variant::one_block, sendbuf, sendcount, sendtype),
                       equal_side(Variant::equal, recvbuf, recvcount, recvtype), comm,
                       Completion::by(request));
}
ORRERY_PROFILED(MPI_Ineighbor_allgather);

ORRERY_MPI_API int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf,
                                           const int recvcounts[], const int displs[],
                                           MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_with(ORRERY_CALL("MPI_Neighbor_allgatherv"),
                       equal_side(Variant::one_block, sendbuf, sendcount, sendtype),
                       varied_side(recvbuf, recvcounts, displs, recvtype), comm,
                       Completion::blocking());
}
ORRERY_PROFILED(MPI_Neighbor_allgatherv);

ORRERY_MPI_API int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void* recvbuf,
                                            const int recvcounts[], const int displs[],
                                            MPI_Datatype recvtype, MPI_Comm comm,
                                            MPI_Request* request) {
  return exchange_with(ORRERY_CALL("MPI_Ineighbor_allgatherv"),
                       equal_side(Variant::one_block, sendbuf, sendcount, sendtype),
                       varied_side(recvbuf, recvcounts, displs, recvtype), comm,
                       Completion::by(request));
}
ORRERY_PROFILED(MPI_Ineighbor_allgatherv);

ORRERY_MPI_API int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                         MPI_Comm comm) {
  return exchange_with(ORRERY_CALL("MPI_Neighbor_alltoall"),
                       equal_side(Variant::equal, sendbuf, sendcount, sendtype),
                       equal_side(Variant::equal, recvbuf, recvcount, recvtype), comm,
                       Completion::blocking());
}
ORRERY_PROFILED(MPI_Neighbor_alltoall);

ORRERY_MPI_API int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm, MPI_Request* request) {
  return exchange_with(ORRERY_CALL("MPI_Ineighbor_alltoall"),
                       equal_side(Variant::equal, sendbuf, sendcount, sendtype),
                       equal_side(Variant::equal, recvbuf, recvcount, recvtype), comm,
                       Completion::by(request));
}
ORRERY_PROFILED(MPI_Ineighbor_alltoall);

ORRERY_MPI_API int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                          const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                          const int recvcounts[], const int rdispls[],
                                          MPI_Datatype recvtype, MPI_Comm comm) {
  return exchange_with(
      ORRERY_CALL("MPI_Neighbor_alltoallv"), varied_side(sendbuf, sendcounts, sdispls, sendtype),
      varied_side(recvbuf, recvcounts, rdispls, recvtype), comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Neighbor_alltoallv);

ORRERY_MPI_API int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                           const int sdispls[], MPI_Datatype sendtype,
                                           void* recvbuf, const int recvcounts[],
                                           const int rdispls[], MPI_Datatype recvtype,
                                           MPI_Comm comm, MPI_Request* request) {
  return exchange_with(
      ORRERY_CALL("MPI_Ineighbor_alltoallv"), varied_side(sendbuf, sendcounts, sdispls, sendtype),
      varied_side(recvbuf, recvcounts, rdispls, recvtype), comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Ineighbor_alltoallv);

ORRERY_MPI_API int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                          void* recvbuf, const int recvcounts[],
                                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                          MPI_Comm comm) {
  return exchange_with(
      ORRERY_CALL("MPI_Neighbor_alltoallw"), typed_side(sendbuf, sendcounts, sdispls, sendtypes),
      typed_side(recvbuf, recvcounts, rdispls, recvtypes), comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Neighbor_alltoallw);

ORRERY_MPI_API int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                           void* recvbuf, const int recvcounts[],
                                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                           MPI_Comm comm, MPI_Request* request) {
  return exchange_with(
      ORRERY_CALL("MPI_Ineighbor_alltoallw"), typed_side(sendbuf, sendcounts, sdispls, sendtypes),
      typed_side(recvbuf, recvcounts, rdispls, recvtypes), comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Ineighbor_alltoallw);
