// MPI 3.1, sections 5.3, 5.4 and 5.7: barrier, broadcast, gathering to all.
#include "collectives/between_groups.hpp"
#include "collectives/collective_call.hpp"
#include "collectives/given_blocks.hpp"
#include "collectives/moving_data.hpp"

using namespace orrery::mpi;

namespace {

int barrier_with(const Call& call, MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion, describe_call(call, no_root, {}), {},
                 [](const Collective& collective, const RankBlocks&, const RankBlocks&) {
                   collective.barrier();
                 });
}

int broadcast_with(const Call& call, const OneBlock& given, int root, MPI_Comm comm,
                   const Completion& completion) {
  Communicator* communicator = nullptr;
  RootedRole role;
  if (const int error = check_rooted(call, comm, root, communicator, role)) return error;
  CollectiveData data;
  if (!role.is_beside)
    if (const int error = check_one(call, *communicator, given, "buffer", data.sent)) return error;
  // Only the root's is left as it is.
  if (!role.is_root) data.received = data.sent;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion, describe_call(call, root, data.sent), data,
                 [role](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
                   if (role.between_two) {
                     broadcast_between(collective, role, own_block(sent));
                   } else {
                     broadcast(collective, role.root, own_block(sent));
                   }
                   if (!role.is_root) check_local_stores(collective.call(), sent);
                 });
}

int all_gather_with(const Call& call, const OneBlock& own, const AllBlocks& all, MPI_Comm comm,
                    const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  CollectiveData data;
  if (own.buffer != MPI_IN_PLACE || communicator->is_inter())
    if (const int error = check_one(call, *communicator, own, "sendbuf", data.sent)) return error;
  if (const int error = check_all(call, *communicator, all, gathered_blocks, data.received))
    return error;
  if (!communicator->is_inter())
    if (const int error = check_same_data(call, *communicator, own_block(data.sent),
                                          own_block(data.received, communicator->rank)))
      return error;
  if (const int error = check_apart(call, *communicator, &data.sent, &data.received)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion,
                 all.varies ? describe_varied_exchange(call, *communicator, data.received)
                            : describe_exchange(call, *communicator, data),
                 data,
                 [varies = all.varies](const Collective& collective, const RankBlocks& sent,
                                       const RankBlocks& received) {
                   if (collective.is_between_groups()) {
                     all_gather_between(collective, own_block(sent), received, varies);
                   } else {
                     all_gather(collective, own_block(sent), received);
                   }
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
