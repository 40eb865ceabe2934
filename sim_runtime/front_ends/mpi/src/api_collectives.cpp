// MPI 3.1, chapter 5: barrier, broadcast, gathering and scattering.
#include "rank_blocks.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

CollectiveCall arguments_of(const Call& call, int root, const OwnBlock& block) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  if (block.in_place()) return arguments;
  arguments.data = signature(*block.type, block.count);
  arguments.count = block.count;
  arguments.type = block.type->name;
  return arguments;
}

CollectiveCall arguments_of(const Call& call, int root, const RankBlocks& blocks) {
  return arguments_of(call, root,
                      OwnBlock{blocks.type, blocks.buffer, static_cast<std::size_t>(blocks.count)});
}

// Counts differ from rank to rank: only the messages can tell whether they agree.
CollectiveCall varying(const Call& call, int root) {
  CollectiveCall arguments;
  arguments.name = call.name;
  arguments.root = root;
  arguments.type = "counts that vary";
  return arguments;
}

int check_rooted(const Call& call, MPI_Comm comm, int root, Communicator*& communicator) {
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return call.check_root(*communicator, root);
}

// What a rank sends must be what everybody has room for (section 5.7).
int check_same_data(const Call& call, const Communicator& communicator, const OwnBlock& own,
                    const RankBlocks& all) {
  if (own.in_place()) return MPI_SUCCESS;
  const auto expected = all.count_of(communicator.rank);
  if (signature(*own.type, own.count) == signature(*all.type, expected)) return MPI_SUCCESS;
  return call.fail(
      &communicator, MPI_ERR_TRUNCATE,
      "%zu elements of %s are sent, and the block for them has %zu elements of %s: the "
      "type signatures must be equal (MPI 3.1, section 5.7)",
      own.count, own.type->name, expected, all.type->name);
}

int gather_with(const Call& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                RankBlocks all, MPI_Datatype recvtype, int root, MPI_Comm comm, bool vary) {
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  const bool is_root = communicator->rank == root;
  OwnBlock own;
  if (const int error =
          check_own(call, *communicator, sendbuf, sendcount, sendtype, "sendbuf", is_root, own))
    return error;
  if (is_root) {
    if (const int error = check_blocks(call, *communicator, recvtype, "recvbuf", all)) return error;
    if (const int error = check_same_data(call, *communicator, own, all)) return error;
  }
  const Collective collective(call, *communicator,
                              vary      ? varying(call, root)
                              : is_root ? arguments_of(call, root, all)
                                        : arguments_of(call, root, own));
  gather(collective, root, own, all);
  return collective.error();
}

int scatter_with(const Call& call, RankBlocks all, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, bool vary) {
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  const bool is_root = communicator->rank == root;
  OwnBlock own;
  if (const int error =
          check_own(call, *communicator, recvbuf, recvcount, recvtype, "recvbuf", is_root, own))
    return error;
  if (is_root) {
    if (const int error = check_blocks(call, *communicator, sendtype, "sendbuf", all)) return error;
    if (const int error = check_same_data(call, *communicator, own, all)) return error;
  }
  const Collective collective(call, *communicator,
                              vary      ? varying(call, root)
                              : is_root ? arguments_of(call, root, all)
                                        : arguments_of(call, root, own));
  scatter(collective, root, all, own);
  return collective.error();
}

int all_gather_with(const Call& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                    RankBlocks all, MPI_Datatype recvtype, MPI_Comm comm, bool vary) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  OwnBlock own;
  if (const int error =
          check_own(call, *communicator, sendbuf, sendcount, sendtype, "sendbuf", true, own))
    return error;
  if (const int error = check_blocks(call, *communicator, recvtype, "recvbuf", all)) return error;
  if (const int error = check_same_data(call, *communicator, own, all)) return error;
  const Collective collective(call, *communicator,
                              vary ? varying(call, -1) : arguments_of(call, -1, all));
  all_gather(collective, own, all);
  return collective.error();
}

// Buffers of sends are never written.
void* writable(const void* buffer) {
  return const_cast<void*>(buffer);
}

}  // namespace

ORRERY_MPI_API int MPI_Barrier(MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Barrier");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  const Collective collective(call, *communicator, arguments_of(call, -1, OwnBlock{}));
  collective.barrier();
  return collective.error();
}
ORRERY_PROFILED(MPI_Barrier);

ORRERY_MPI_API int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                             MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Bcast");
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  OwnBlock own;
  if (const int error =
          check_own(call, *communicator, buffer, count, datatype, "buffer", false, own))
    return error;
  const Collective collective(call, *communicator, arguments_of(call, root, own));
  const Scratch packed(call.state.scratch, own.size_bytes());
  if (communicator->rank == root) pack(*own.type, own.count, buffer, packed.data());
  collective.broadcast(root, packed.data(), own.size_bytes());
  if (communicator->rank != root)
    unpack(*own.type, own.count, buffer, packed.data(), own.size_bytes());
  return collective.error();
}
ORRERY_PROFILED(MPI_Bcast);

ORRERY_MPI_API int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm) {
  const RankBlocks all{nullptr, recvbuf, recvcount, nullptr, nullptr};
  return gather_with(ORRERY_CALL("MPI_Gather"), sendbuf, sendcount, sendtype, all, recvtype, root,
                     comm, false);
}
ORRERY_PROFILED(MPI_Gather);

ORRERY_MPI_API int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const int recvcounts[], const int displs[],
                               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const RankBlocks all{nullptr, recvbuf, 0, recvcounts, displs};
  return gather_with(ORRERY_CALL("MPI_Gatherv"), sendbuf, sendcount, sendtype, all, recvtype, root,
                     comm, true);
}
ORRERY_PROFILED(MPI_Gatherv);

ORRERY_MPI_API int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm) {
  const RankBlocks all{nullptr, writable(sendbuf), sendcount, nullptr, nullptr};
  return scatter_with(ORRERY_CALL("MPI_Scatter"), all, sendtype, recvbuf, recvcount, recvtype, root,
                      comm, false);
}
ORRERY_PROFILED(MPI_Scatter);

ORRERY_MPI_API int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const RankBlocks all{nullptr, writable(sendbuf), 0, sendcounts, displs};
  return scatter_with(ORRERY_CALL("MPI_Scatterv"), all, sendtype, recvbuf, recvcount, recvtype,
                      root, comm, true);
}
ORRERY_PROFILED(MPI_Scatterv);

ORRERY_MPI_API int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  const RankBlocks all{nullptr, recvbuf, recvcount, nullptr, nullptr};
  return all_gather_with(ORRERY_CALL("MPI_Allgather"), sendbuf, sendcount, sendtype, all, recvtype,
                         comm, false);
}
ORRERY_PROFILED(MPI_Allgather);

ORRERY_MPI_API int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const int recvcounts[], const int displs[],
                                  MPI_Datatype recvtype, MPI_Comm comm) {
  const RankBlocks all{nullptr, recvbuf, 0, recvcounts, displs};
  return all_gather_with(ORRERY_CALL("MPI_Allgatherv"), sendbuf, sendcount, sendtype, all, recvtype,
                         comm, true);
}
ORRERY_PROFILED(MPI_Allgatherv);

ORRERY_MPI_API int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Alltoall");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  RankBlocks incoming{nullptr, recvbuf, recvcount, nullptr, nullptr};
  RankBlocks outgoing{nullptr, writable(sendbuf), sendcount, nullptr, nullptr};
  if (const int error = check_blocks(call, *communicator, recvtype, "recvbuf", incoming))
    return error;
  if (sendbuf != MPI_IN_PLACE) {
    if (const int error = check_blocks(call, *communicator, sendtype, "sendbuf", outgoing))
      return error;
    const OwnBlock own{outgoing.type, outgoing.buffer, outgoing.count_of(communicator->rank)};
    if (const int error = check_same_data(call, *communicator, own, incoming)) return error;
  }
  const Collective collective(call, *communicator, arguments_of(call, -1, incoming));
  all_to_all(collective, outgoing, incoming);
  return collective.error();
}
ORRERY_PROFILED(MPI_Alltoall);
