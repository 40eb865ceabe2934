// MPI 3.1, section 5.8: everybody sends to everybody.
#include "collectives/between_groups.hpp"
#include "collectives/collective_call.hpp"
#include "collectives/moving_data.hpp"

using namespace orrery::mpi;

namespace {

// One side of the operation, as the program gives it.
struct Side {
  const void* buffer = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  MPI_Datatype type = nullptr;
  const MPI_Datatype* types = nullptr;
};

enum class Variant : std::uint8_t { equal, varied, typed };

int check_side(const Call& call, const Communicator& communicator, Variant variant,
               const Side& given, const BlockNames& names, const Datatype** types,
               RankBlocks& found) {
  found.buffer = const_cast<void*>(given.buffer);
  found.count = given.count;
  found.counts = given.counts;
  found.displacements = given.displacements;
  const std::int32_t ranks = communicator.peers().size();
  if (communicator.is_inter())
    if (const int error = check_not_in_place(call, communicator, given.buffer, names.buffer))
      return error;
  if (variant == Variant::typed)
    return check_typed_blocks(call, communicator, given.types, names, ranks, types, found);
  const auto check = variant == Variant::varied ? check_varied_blocks : check_blocks;
  return check(call, communicator, given.type, names, ranks, found);
}

int all_to_all_with(const Call& call, Variant variant, const Side& sent, const Side& received,
                    MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  const bool is_typed = variant == Variant::typed;
  const auto ranks = static_cast<std::size_t>(communicator->peers().size());
  const Scratch types(call.state.scratch, is_typed ? 2 * ranks * sizeof(const Datatype*) : 0);
  auto** const sent_types = types.array<const Datatype*>();
  CollectiveData data;
  if (const int error = check_side(call, *communicator, variant, received, received_blocks,
                                   is_typed ? sent_types + ranks : nullptr, data.received))
    return error;
  const bool is_inter = communicator->is_inter();
  if (sent.buffer != MPI_IN_PLACE || is_inter) {
    if (const int error = check_side(call, *communicator, variant, sent, sent_blocks,
                                     is_typed ? sent_types : nullptr, data.sent))
      return error;
  }
  if (!is_inter)
    if (const int error =
            check_same_data(call, *communicator, own_block(data.sent, communicator->rank),
                            own_block(data.received, communicator->rank)))
      return error;
  if (const int error = check_apart(call, *communicator, &data.sent, &data.received)) return error;
  if (const int error = completion.check(call)) return error;
  const bool is_equal = variant == Variant::equal;
  auto work = is_equal ? all_to_all : all_to_all_varied;
  if (is_inter) work = all_to_all_between;
  return perform(
      call, *communicator, completion,
      is_equal ? describe_exchange(call, *communicator, data) : describe_varied_call(call, no_root),
      data,
      [work](const Collective& collective, const RankBlocks& outgoing, const RankBlocks& incoming) {
        work(collective, outgoing, incoming);
      });
}

}  // namespace

ORRERY_MPI_API int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm) {
  const Side sent{sendbuf, sendcount, nullptr, nullptr, sendtype, nullptr};
  const Side received{recvbuf, recvcount, nullptr, nullptr, recvtype, nullptr};
  return all_to_all_with(ORRERY_CALL("MPI_Alltoall"), Variant::equal, sent, received, comm,
                         Completion::blocking());
}
ORRERY_PROFILED(MPI_Alltoall);

ORRERY_MPI_API int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Request* request) {
  const Side sent{sendbuf, sendcount, nullptr, nullptr, sendtype, nullptr};
  const Side received{recvbuf, recvcount, nullptr, nullptr, recvtype, nullptr};
  return all_to_all_with(ORRERY_CALL("MPI_Ialltoall"), Variant::equal, sent, received, comm,
                         Completion::by(request));
}
ORRERY_PROFILED(MPI_Ialltoall);

ORRERY_MPI_API int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  const Side sent{sendbuf, 0, sendcounts, sdispls, sendtype, nullptr};
  const Side received{recvbuf, 0, recvcounts, rdispls, recvtype, nullptr};
  return all_to_all_with(ORRERY_CALL("MPI_Alltoallv"), Variant::varied, sent, received, comm,
                         Completion::blocking());
}
ORRERY_PROFILED(MPI_Alltoallv);

ORRERY_MPI_API int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Request* request) {
  const Side sent{sendbuf, 0, sendcounts, sdispls, sendtype, nullptr};
  const Side received{recvbuf, 0, recvcounts, rdispls, recvtype, nullptr};
  return all_to_all_with(ORRERY_CALL("MPI_Ialltoallv"), Variant::varied, sent, received, comm,
                         Completion::by(request));
}
ORRERY_PROFILED(MPI_Ialltoallv);

ORRERY_MPI_API int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf,
                                 const int recvcounts[], const int rdispls[],
                                 const MPI_Datatype recvtypes[], MPI_Comm comm) {
  const Side sent{sendbuf, 0, sendcounts, sdispls, nullptr, sendtypes};
  const Side received{recvbuf, 0, recvcounts, rdispls, nullptr, recvtypes};
  return all_to_all_with(ORRERY_CALL("MPI_Alltoallw"), Variant::typed, sent, received, comm,
                         Completion::blocking());
}
ORRERY_PROFILED(MPI_Alltoallw);

ORRERY_MPI_API int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf,
                                  const int recvcounts[], const int rdispls[],
                                  const MPI_Datatype recvtypes[], MPI_Comm comm,
                                  MPI_Request* request) {
  const Side sent{sendbuf, 0, sendcounts, sdispls, nullptr, sendtypes};
  const Side received{recvbuf, 0, recvcounts, rdispls, nullptr, recvtypes};
  return all_to_all_with(ORRERY_CALL("MPI_Ialltoallw"), Variant::typed, sent, received, comm,
                         Completion::by(request));
}
ORRERY_PROFILED(MPI_Ialltoallw);
