// MPI 3.1, sections 5.5 and 5.6: gathering and scattering.
#include "collectives/between_groups.hpp"
#include "collectives/collective_call.hpp"
#include "collectives/given_blocks.hpp"
#include "collectives/moving_data.hpp"

using namespace orrery::mpi;

namespace {

CollectiveCall describe_rooted(const Call& call, int root, const RankBlocks& own,
                               const RankBlocks& all, bool varies) {
  if (varies) return describe_varied_call(call, root);
  return describe_call(call, root, own.in_place() ? all : own);
}

// Only the root has blocks of all, and between two groups none of its own.
int check_sides(const Call& call, const Communicator& communicator, const RootedRole& role,
                const OneBlock& own, const char* own_name, const AllBlocks& all,
                const BlockNames& all_names, RankBlocks& own_found, RankBlocks& all_found) {
  if (role.is_leaf() && !(role.is_root && own.buffer == MPI_IN_PLACE))
    if (const int error = check_one(call, communicator, own, own_name, own_found)) return error;
  if (!role.is_root) return MPI_SUCCESS;
  return check_all(call, communicator, all, all_names, all_found);
}

// What the root sends to itself, and where.
int check_own_data(const Call& call, const Communicator& communicator, const RootedRole& role,
                   const CollectiveData& data) {
  if (!role.is_root || role.between_two) return MPI_SUCCESS;
  const auto block_of_root = [&](const RankBlocks& blocks) {
    return own_block(blocks, blocks.number == 1 ? 0 : role.root);
  };
  if (const int error = check_same_data(call, communicator, block_of_root(data.sent),
                                        block_of_root(data.received)))
    return error;
  return check_apart(call, communicator, &data.sent, &data.received);
}

int gather_with(const Call& call, const OneBlock& own, const AllBlocks& all, int root,
                MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  RootedRole role;
  if (const int error = check_rooted(call, comm, root, communicator, role)) return error;
  CollectiveData data;
  if (const int error = check_sides(call, *communicator, role, own, "sendbuf", all, gathered_blocks,
                                    data.sent, data.received))
    return error;
  if (const int error = check_own_data(call, *communicator, role, data)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion,
                 describe_rooted(call, root, data.sent, data.received, all.varies), data,
                 [role, varies = all.varies](const Collective& collective, const RankBlocks& sent,
                                             const RankBlocks& received) {
                   if (role.between_two) {
                     gather_between(collective, role, own_block(sent), received, varies);
                   } else {
                     gather(collective, role.root, own_block(sent), received, varies);
                   }
                 });
}

int scatter_with(const Call& call, const AllBlocks& all, const OneBlock& own, int root,
                 MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  RootedRole role;
  if (const int error = check_rooted(call, comm, root, communicator, role)) return error;
  CollectiveData data;
  if (const int error = check_sides(call, *communicator, role, own, "recvbuf", all,
                                    scattered_blocks, data.received, data.sent))
    return error;
  if (const int error = check_own_data(call, *communicator, role, data)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(call, *communicator, completion,
                 describe_rooted(call, root, data.received, data.sent, all.varies), data,
                 [role, varies = all.varies](const Collective& collective, const RankBlocks& sent,
                                             const RankBlocks& received) {
                   if (role.between_two) {
                     scatter_between(collective, role, sent, own_block(received), varies);
                   } else {
                     scatter(collective, role.root, sent, own_block(received), varies);
                   }
                 });
}

}  // namespace

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
