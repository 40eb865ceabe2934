// MPI 3.1, sections 5.3 to 5.7: barrier, broadcast, gathering and scattering.
#include "collective_call.hpp"
#include "moving_data.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// The arguments of a buffer of one block for each rank.
struct AllBlocks {
  void* buffer = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  MPI_Datatype type = nullptr;
  bool varies = false;
};

AllBlocks equal_blocks(const void* buffer, int count, MPI_Datatype type) {
  return {const_cast<void*>(buffer), count, nullptr, nullptr, type, false};
}

AllBlocks varied_blocks(const void* buffer, const int* counts, const int* displacements,
                        MPI_Datatype type) {
  return {const_cast<void*>(buffer), 0, counts, displacements, type, true};
}

struct OneBlock {
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = nullptr;
};

OneBlock one_block(const void* buffer, int count, MPI_Datatype type) {
  return {const_cast<void*>(buffer), count, type};
}

int check_all(const Call& call, const Communicator& communicator, const AllBlocks& given,
              const BlockNames& names, RankBlocks& found) {
  found.buffer = given.buffer;
  found.count = given.count;
  found.counts = given.counts;
  found.displacements = given.displacements;
  const auto check = given.varies ? check_varied_blocks : check_blocks;
  return check(call, communicator, given.type, names, communicator.size, found);
}

int check_one(const Call& call, const Communicator& communicator, const OneBlock& given,
              const char* argument, RankBlocks& found) {
  return check_own(call, communicator, given.buffer, given.count, given.type, argument, found);
}

int check_rooted(const Call& call, MPI_Comm comm, int root, Communicator*& communicator) {
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return call.check_root(*communicator, root);
}

int barrier_with(const Call& call, MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion, describe_call(call, -1, {}), {},
                 [](const Collective& collective, const RankBlocks&, const RankBlocks&) {
                   collective.barrier();
                 });
}

int broadcast_with(const Call& call, const OneBlock& given, int root, MPI_Comm comm,
                   const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  CollectiveData data;
  if (const int error = check_one(call, *communicator, given, "buffer", data.sent)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion, describe_call(call, root, data.sent), data,
                 [root](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
                   broadcast(collective, root, own_block(sent));
                 });
}

CollectiveCall describe_rooted(const Call& call, int root, const RankBlocks& own,
                               const RankBlocks& all, bool varies) {
  if (varies) return describe_varied_call(call, root);
  return describe_call(call, root, own.in_place() ? all : own);
}

int gather_with(const Call& call, const OneBlock& own, const AllBlocks& all, int root,
                MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  const bool is_root = communicator->rank == root;
  CollectiveData data;
  if (!is_root || own.buffer != MPI_IN_PLACE)
    if (const int error = check_one(call, *communicator, own, "sendbuf", data.sent)) return error;
  if (is_root) {
    if (const int error = check_all(call, *communicator, all, gathered_blocks, data.received))
      return error;
    if (const int error = check_same_data(call, *communicator, own_block(data.sent),
                                          own_block(data.received, root)))
      return error;
    if (const int error = check_apart(call, *communicator, &data.sent, &data.received))
      return error;
  }
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion,
                 describe_rooted(call, root, data.sent, data.received, all.varies), data,
                 [root, varies = all.varies](const Collective& collective, const RankBlocks& sent,
                                             const RankBlocks& received) {
                   gather(collective, root, own_block(sent), received, varies);
                 });
}

int scatter_with(const Call& call, const AllBlocks& all, const OneBlock& own, int root,
                 MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = check_rooted(call, comm, root, communicator)) return error;
  const bool is_root = communicator->rank == root;
  CollectiveData data;
  if (!is_root || own.buffer != MPI_IN_PLACE)
    if (const int error = check_one(call, *communicator, own, "recvbuf", data.received))
      return error;
  if (is_root) {
    if (const int error = check_all(call, *communicator, all, scattered_blocks, data.sent))
      return error;
    if (const int error = check_same_data(call, *communicator, own_block(data.sent, root),
                                          own_block(data.received)))
      return error;
    if (const int error = check_apart(call, *communicator, &data.sent, &data.received))
      return error;
  }
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion,
                 describe_rooted(call, root, data.received, data.sent, all.varies), data,
                 [root, varies = all.varies](const Collective& collective, const RankBlocks& sent,
                                             const RankBlocks& received) {
                   scatter(collective, root, sent, own_block(received), varies);
                 });
}

// Of MPI_Allgatherv: the sizes differ, but all ranks give the same ones.
CollectiveCall describe_all_gather(const Call& call, const RankBlocks& all, bool varies) {
  CollectiveCall arguments = describe_call(call, -1, all);
  if (!varies) return arguments;
  arguments.count = all.total_count();
  arguments.data = signature(*all.type, all.total_count());
  arguments.counts_hash = hash_of_sizes(all);
  return arguments;
}

int all_gather_with(const Call& call, const OneBlock& own, const AllBlocks& all, MPI_Comm comm,
                    const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  CollectiveData data;
  if (own.buffer != MPI_IN_PLACE)
    if (const int error = check_one(call, *communicator, own, "sendbuf", data.sent)) return error;
  if (const int error = check_all(call, *communicator, all, gathered_blocks, data.received))
    return error;
  if (const int error = check_same_data(call, *communicator, own_block(data.sent),
                                        own_block(data.received, communicator->rank)))
    return error;
  if (const int error = check_apart(call, *communicator, &data.sent, &data.received)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(
      call, *communicator, completion, describe_all_gather(call, data.received, all.varies), data,
      [](const Collective& collective, const RankBlocks& sent, const RankBlocks& received) {
        all_gather(collective, own_block(sent), received);
      });
}

}  // namespace

ORRERY_MPI_API int MPI_Barrier(MPI_Comm comm) {
  return barrier_with(ORRERY_CALL("MPI_Barrier"), comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Barrier);

ORRERY_MPI_API int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return barrier_with(ORRERY_CALL("MPI_Ibarrier"), comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Ibarrier);

ORRERY_MPI_API int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                             MPI_Comm comm) {
  return broadcast_with(ORRERY_CALL("MPI_Bcast"), one_block(buffer, count, datatype), root, comm,
                        Completion::blocking());
}
ORRERY_PROFILED(MPI_Bcast);

ORRERY_MPI_API int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm, MPI_Request* request) {
  return broadcast_with(ORRERY_CALL("MPI_Ibcast"), one_block(buffer, count, datatype), root, comm,
                        Completion::by(request));
}
ORRERY_PROFILED(MPI_Ibcast);

ORRERY_MPI_API int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm) {
  return gather_with(ORRERY_CALL("MPI_Gather"), one_block(sendbuf, sendcount, sendtype),
                     equal_blocks(recvbuf, recvcount, recvtype), root, comm,
                     Completion::blocking());
}
ORRERY_PROFILED(MPI_Gather);

ORRERY_MPI_API int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm, MPI_Request* request) {
  return gather_with(ORRERY_CALL("MPI_Igather"), one_block(sendbuf, sendcount, sendtype),
                     equal_blocks(recvbuf, recvcount, recvtype), root, comm,
                     Completion::by(request));
}
ORRERY_PROFILED(MPI_Igather);

ORRERY_MPI_API int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const int recvcounts[], const int displs[],
                               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather_with(ORRERY_CALL("MPI_Gatherv"), one_block(sendbuf, sendcount, sendtype),
                     varied_blocks(recvbuf, recvcounts, displs, recvtype), root, comm,
                     Completion::blocking());
}
ORRERY_PROFILED(MPI_Gatherv);

ORRERY_MPI_API int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const int recvcounts[], const int displs[],
                                MPI_Datatype recvtype, int root, MPI_Comm comm,
                                MPI_Request* request) {
  return gather_with(ORRERY_CALL("MPI_Igatherv"), one_block(sendbuf, sendcount, sendtype),
                     varied_blocks(recvbuf, recvcounts, displs, recvtype), root, comm,
                     Completion::by(request));
}
ORRERY_PROFILED(MPI_Igatherv);

ORRERY_MPI_API int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm) {
  return scatter_with(ORRERY_CALL("MPI_Scatter"), equal_blocks(sendbuf, sendcount, sendtype),
                      one_block(recvbuf, recvcount, recvtype), root, comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Scatter);

ORRERY_MPI_API int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm, MPI_Request* request) {
  return scatter_with(ORRERY_CALL("MPI_Iscatter"), equal_blocks(sendbuf, sendcount, sendtype),
                      one_block(recvbuf, recvcount, recvtype), root, comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Iscatter);

ORRERY_MPI_API int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter_with(ORRERY_CALL("MPI_Scatterv"),
                      varied_blocks(sendbuf, sendcounts, displs, sendtype),
                      one_block(recvbuf, recvcount, recvtype), root, comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Scatterv);

ORRERY_MPI_API int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                 MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                 MPI_Datatype recvtype, int root, MPI_Comm comm,
                                 MPI_Request* request) {
  return scatter_with(ORRERY_CALL("MPI_Iscatterv"),
                      varied_blocks(sendbuf, sendcounts, displs, sendtype),
                      one_block(recvbuf, recvcount, recvtype), root, comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Iscatterv);

ORRERY_MPI_API int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  return all_gather_with(ORRERY_CALL("MPI_Allgather"), one_block(sendbuf, sendcount, sendtype),
                         equal_blocks(recvbuf, recvcount, recvtype), comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Allgather);

ORRERY_MPI_API int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Request* request) {
  return all_gather_with(ORRERY_CALL("MPI_Iallgather"), one_block(sendbuf, sendcount, sendtype),
                         equal_blocks(recvbuf, recvcount, recvtype), comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Iallgather);

ORRERY_MPI_API int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const int recvcounts[], const int displs[],
                                  MPI_Datatype recvtype, MPI_Comm comm) {
  return all_gather_with(ORRERY_CALL("MPI_Allgatherv"), one_block(sendbuf, sendcount, sendtype),
                         varied_blocks(recvbuf, recvcounts, displs, recvtype), comm,
                         Completion::blocking());
}
ORRERY_PROFILED(MPI_Allgatherv);

ORRERY_MPI_API int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return all_gather_with(ORRERY_CALL("MPI_Iallgatherv"), one_block(sendbuf, sendcount, sendtype),
                         varied_blocks(recvbuf, recvcounts, displs, recvtype), comm,
                         Completion::by(request));
}
ORRERY_PROFILED(MPI_Iallgatherv);
