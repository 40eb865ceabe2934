// MPI 3.1, sections 5.9 to 5.11: reductions and scans.
#include <limits>

#include "collective_call.hpp"
#include "reducing.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// The arguments of a reduction, as the program gives them, and as they were found.
struct Arguments {
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  int count = 0;
  MPI_Datatype datatype = nullptr;
  MPI_Op op = nullptr;
  Operation operation;
};

// Which elements the ranks contribute and get.
struct Extents {
  int sent = 0;
  int received = 0;
  bool has_result = true;  // this rank gets something, and may reduce in place
};

int check_count_sum(const Call& call, const Communicator& communicator, const int* counts,
                    std::int64_t& sum) {
  if (counts == nullptr)
    return call.fail(&communicator, MPI_ERR_ARG,
                     "argument recvcounts is a null pointer, and is read here (MPI 3.1, section "
                     "5.10)");
  sum = 0;
  for (std::int32_t rank = 0; rank < communicator.size; ++rank) {
    if (counts[rank] < 0)
      return call.fail(&communicator, MPI_ERR_COUNT,
                       "argument recvcounts[%d] is %d, and must not be negative (MPI 3.1, section "
                       "5.10)",
                       rank, counts[rank]);
    sum += counts[rank];
  }
  return MPI_SUCCESS;
}

int check_sum(const Call& call, const Communicator& communicator, std::int64_t sum, int& count) {
  if (sum > std::numeric_limits<int>::max())
    return call.fail(&communicator, MPI_ERR_COUNT,
                     "the counts of all ranks are %lld together, and must fit an int (MPI 3.1, "
                     "section 5.10)",
                     static_cast<long long>(sum));
  count = static_cast<int>(sum);
  return MPI_SUCCESS;
}

// In place, what a rank contributes lies in its receive buffer.
int check(const Call& call, const Communicator& communicator, Arguments& given,
          const Extents& extents, CollectiveData& data) {
  const bool in_place = extents.has_result && given.sendbuf == MPI_IN_PLACE;
  const int received = in_place ? extents.sent : extents.received;
  if (extents.has_result)
    if (const int error = check_own(call, communicator, given.recvbuf, received, given.datatype,
                                    "recvbuf", data.received))
      return error;
  if (!in_place) {
    if (const int error = check_own(call, communicator, given.sendbuf, extents.sent, given.datatype,
                                    "sendbuf", data.sent))
      return error;
    if (const int error = check_apart(call, communicator, &data.sent, &data.received)) return error;
  } else {
    data.sent = data.received;
  }
  return check_reduction(call, communicator, given.op, *data.sent.type, given.operation);
}

CollectiveCall describe_reduction(const Call& call, const Arguments& arguments,
                                  const CollectiveData& data, int root) {
  CollectiveCall description = describe_call(call, root, data.sent);
  description.operation = name_of(arguments.operation);
  return description;
}

Reduction reduction_of(const Arguments& arguments, const RankBlocks& sent) {
  return {arguments.operation, *sent.type, arguments.datatype, sent.count_of(0)};
}

int reduce_with(const Call& call, Arguments arguments, int root, MPI_Comm comm,
                const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_root(*communicator, root)) return error;
  const Extents extents{arguments.count, arguments.count, communicator->rank == root};
  CollectiveData data;
  if (const int error = check(call, *communicator, arguments, extents, data)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(
      call, *communicator, completion, describe_reduction(call, arguments, data, root), data,
      [arguments, root](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
        reduce(collective, reduction_of(arguments, sent), root, sent.buffer, arguments.recvbuf);
      });
}

// Operations whose result has as many elements as a contribution, at every rank.
using Everywhere = void (*)(const Collective&, const Reduction&, const void*, void*);

int reduce_everywhere(const Call& call, Arguments arguments, MPI_Comm comm, Everywhere work,
                      bool may_synchronise, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  CollectiveData data;
  const Extents extents{arguments.count, arguments.count, true};
  if (const int error = check(call, *communicator, arguments, extents, data)) return error;
  if (const int error = completion.check(call)) return error;
  CollectiveCall description = describe_reduction(call, arguments, data, -1);
  description.may_synchronise = may_synchronise;
  return perform(
      call, *communicator, completion, description, data,
      [arguments, work](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
        work(collective, reduction_of(arguments, sent), sent.buffer, arguments.recvbuf);
      });
}

int reduce_scatter_block_with(const Call& call, Arguments arguments, MPI_Comm comm,
                              const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_count(communicator, arguments.count, "recvcount")) return error;
  Extents extents{0, arguments.count, true};
  if (const int error = check_sum(call, *communicator,
                                  std::int64_t{arguments.count} * communicator->size, extents.sent))
    return error;
  CollectiveData data;
  if (const int error = check(call, *communicator, arguments, extents, data)) return error;
  if (const int error = completion.check(call)) return error;
  return perform(
      call, *communicator, completion, describe_reduction(call, arguments, data, -1), data,
      [arguments](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
        reduce_scatter(collective, reduction_of(arguments, sent), {nullptr, arguments.count},
                       sent.buffer, arguments.recvbuf);
      });
}

int reduce_scatter_with(const Call& call, Arguments arguments, const int* counts, MPI_Comm comm,
                        const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  std::int64_t sum = 0;
  if (const int error = check_count_sum(call, *communicator, counts, sum)) return error;
  Extents extents{0, counts[communicator->rank], true};
  if (const int error = check_sum(call, *communicator, sum, extents.sent)) return error;
  CollectiveData data;
  if (const int error = check(call, *communicator, arguments, extents, data)) return error;
  if (const int error = completion.check(call)) return error;
  CollectiveCall description = describe_reduction(call, arguments, data, -1);
  // The result's blocks stand for the counts from here on: they are kept with it.
  data.received.type = data.sent.type;
  data.received.counts = counts;
  data.received.number = communicator->size;
  description.counts_hash = hash_of_sizes(data.received);
  return perform(call, *communicator, completion, description, data,
                 [arguments](const Collective& collective, const RankBlocks& sent,
                             const RankBlocks& received) {
                   reduce_scatter(collective, reduction_of(arguments, sent), {received.counts, 0},
                                  sent.buffer, arguments.recvbuf);
                 });
}

Arguments arguments_of(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op) {
  return {sendbuf, recvbuf, count, datatype, op, {}};
}

}  // namespace

ORRERY_MPI_API int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, int root, MPI_Comm comm) {
  return reduce_with(ORRERY_CALL("MPI_Reduce"), arguments_of(sendbuf, recvbuf, count, datatype, op),
                     root, comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce);

ORRERY_MPI_API int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return reduce_with(ORRERY_CALL("MPI_Ireduce"),
                     arguments_of(sendbuf, recvbuf, count, datatype, op), root, comm,
                     Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce);

ORRERY_MPI_API int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_everywhere(ORRERY_CALL("MPI_Allreduce"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm, all_reduce,
                           false, Completion::blocking());
}
ORRERY_PROFILED(MPI_Allreduce);

ORRERY_MPI_API int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  MPI_Request* request) {
  return reduce_everywhere(ORRERY_CALL("MPI_Iallreduce"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm, all_reduce,
                           false, Completion::by(request));
}
ORRERY_PROFILED(MPI_Iallreduce);

ORRERY_MPI_API int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_block_with(ORRERY_CALL("MPI_Reduce_scatter_block"),
                                   arguments_of(sendbuf, recvbuf, recvcount, datatype, op), comm,
                                   Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce_scatter_block);

ORRERY_MPI_API int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             MPI_Request* request) {
  return reduce_scatter_block_with(ORRERY_CALL("MPI_Ireduce_scatter_block"),
                                   arguments_of(sendbuf, recvbuf, recvcount, datatype, op), comm,
                                   Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce_scatter_block);

ORRERY_MPI_API int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_with(ORRERY_CALL("MPI_Reduce_scatter"),
                             arguments_of(sendbuf, recvbuf, 0, datatype, op), recvcounts, comm,
                             Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce_scatter);

ORRERY_MPI_API int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Request* request) {
  return reduce_scatter_with(ORRERY_CALL("MPI_Ireduce_scatter"),
                             arguments_of(sendbuf, recvbuf, 0, datatype, op), recvcounts, comm,
                             Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce_scatter);

ORRERY_MPI_API int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm) {
  return reduce_everywhere(ORRERY_CALL("MPI_Scan"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm, scan, true,
                           Completion::blocking());
}
ORRERY_PROFILED(MPI_Scan);

ORRERY_MPI_API int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return reduce_everywhere(ORRERY_CALL("MPI_Iscan"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm, scan, true,
                           Completion::by(request));
}
ORRERY_PROFILED(MPI_Iscan);

ORRERY_MPI_API int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return reduce_everywhere(ORRERY_CALL("MPI_Exscan"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm,
                           exclusive_scan, true, Completion::blocking());
}
ORRERY_PROFILED(MPI_Exscan);

ORRERY_MPI_API int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return reduce_everywhere(ORRERY_CALL("MPI_Iexscan"),
                           arguments_of(sendbuf, recvbuf, count, datatype, op), comm,
                           exclusive_scan, true, Completion::by(request));
}
ORRERY_PROFILED(MPI_Iexscan);
