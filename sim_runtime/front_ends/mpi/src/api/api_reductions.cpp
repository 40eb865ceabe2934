// MPI 3.1, sections 5.9 to 5.11: reductions and scans.
#include <limits>

#include "collectives/between_groups.hpp"
#include "collectives/reduction_call.hpp"

using namespace orrery::mpi;

namespace {

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

int reduce_with(const Call& call, ReductionArguments arguments, int root, MPI_Comm comm,
                const Completion& completion) {
  Communicator* communicator = nullptr;
  RootedRole role;
  if (const int error = check_rooted(call, comm, root, communicator, role)) return error;
  CollectiveData data;
  const ReductionExtents extents{arguments.count, arguments.count, role.is_root, role.is_leaf()};
  if (!role.is_beside)
    if (const int error = check_reduction_data(call, *communicator, arguments, extents, data))
      return error;
  if (const int error = completion.check(call)) return error;
  return perform(
      call, *communicator, completion, describe_reduction(call, arguments, data, root), data,
      [arguments, role](const Collective& collective, const RankBlocks& sent,
                        const RankBlocks& received) {
        if (role.is_beside) return;
        const Reduction reduction = reduction_of(arguments, role.is_leaf() ? sent : received);
        if (role.between_two) {
          reduce_between(collective, reduction, role, sent.buffer, arguments.recvbuf);
        } else {
          reduce(collective, reduction, role.root, sent.buffer, arguments.recvbuf);
        }
      });
}

void all_reduce_anywhere(const Collective& collective, const Reduction& reduction,
                         const void* contribution, void* result) {
  const auto work = collective.is_between_groups() ? all_reduce_between : all_reduce;
  work(collective, reduction, contribution, result);
}

int all_reduce_with(const Call& call, const ReductionArguments& arguments, MPI_Comm comm,
                    const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return reduce_everywhere(call, arguments, *communicator, all_reduce_anywhere, false, completion);
}

void reduce_scatter_anywhere(const Collective& collective, const Reduction& reduction,
                             const BlockCounts& counts, const void* contribution, void* result) {
  const auto work = collective.is_between_groups() ? reduce_scatter_between : reduce_scatter;
  work(collective, reduction, counts, contribution, result);
}

int reduce_scatter_block_with(const Call& call, ReductionArguments arguments, MPI_Comm comm,
                              const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_count(communicator, arguments.count, "recvcount")) return error;
  ReductionExtents extents{0, arguments.count, true};
  if (const int error = check_sum(call, *communicator,
                                  std::int64_t{arguments.count} * communicator->size, extents.sent))
    return error;
  CollectiveData data;
  if (const int error = check_reduction_data(call, *communicator, arguments, extents, data))
    return error;
  if (const int error = completion.check(call)) return error;
  return perform(
      call, *communicator, completion, describe_reduction(call, arguments, data, no_root), data,
      [arguments](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
        reduce_scatter_anywhere(collective, reduction_of(arguments, sent),
                                {nullptr, arguments.count}, sent.buffer, arguments.recvbuf);
      });
}

int reduce_scatter_with(const Call& call, ReductionArguments arguments, const int* counts,
                        MPI_Comm comm, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  std::int64_t sum = 0;
  if (const int error = check_count_sum(call, *communicator, counts, sum)) return error;
  ReductionExtents extents{0, counts[communicator->rank], true};
  if (const int error = check_sum(call, *communicator, sum, extents.sent)) return error;
  CollectiveData data;
  if (const int error = check_reduction_data(call, *communicator, arguments, extents, data))
    return error;
  if (const int error = completion.check(call)) return error;
  CollectiveCall description = describe_reduction(call, arguments, data, no_root);
  // The result's blocks stand for the counts from here on: they are kept with it.
  data.received.type = data.sent.type;
  data.received.counts = counts;
  data.received.number = communicator->size;
  // Between two groups each has its own counts.
  description.data.at(sent_data(*communicator)) = {description.data[0].signature,
                                                   hash_of_sizes(data.received)};
  return perform(call, *communicator, completion, description, data,
                 [arguments](const Collective& collective, const RankBlocks& sent,
                             const RankBlocks& received) {
                   reduce_scatter_anywhere(collective, reduction_of(arguments, sent),
                                           {received.counts, 0}, sent.buffer, arguments.recvbuf);
                 });
}

}  // namespace

ORRERY_MPI_API int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, int root, MPI_Comm comm) {
  return reduce_with(ORRERY_CALL("MPI_Reduce"),
                     reduction_arguments(sendbuf, recvbuf, count, datatype, op), root, comm,
                     Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce);

ORRERY_MPI_API int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return reduce_with(ORRERY_CALL("MPI_Ireduce"),
                     reduction_arguments(sendbuf, recvbuf, count, datatype, op), root, comm,
                     Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce);

ORRERY_MPI_API int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return all_reduce_with(ORRERY_CALL("MPI_Allreduce"),
                         reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm,
                         Completion::blocking());
}
ORRERY_PROFILED(MPI_Allreduce);

ORRERY_MPI_API int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  MPI_Request* request) {
  return all_reduce_with(ORRERY_CALL("MPI_Iallreduce"),
                         reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm,
                         Completion::by(request));
}
ORRERY_PROFILED(MPI_Iallreduce);

ORRERY_MPI_API int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_block_with(ORRERY_CALL("MPI_Reduce_scatter_block"),
                                   reduction_arguments(sendbuf, recvbuf, recvcount, datatype, op),
                                   comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce_scatter_block);

ORRERY_MPI_API int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             MPI_Request* request) {
  return reduce_scatter_block_with(ORRERY_CALL("MPI_Ireduce_scatter_block"),
                                   reduction_arguments(sendbuf, recvbuf, recvcount, datatype, op),
                                   comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce_scatter_block);

ORRERY_MPI_API int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_with(ORRERY_CALL("MPI_Reduce_scatter"),
                             reduction_arguments(sendbuf, recvbuf, 0, datatype, op), recvcounts,
                             comm, Completion::blocking());
}
ORRERY_PROFILED(MPI_Reduce_scatter);

ORRERY_MPI_API int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Request* request) {
  return reduce_scatter_with(ORRERY_CALL("MPI_Ireduce_scatter"),
                             reduction_arguments(sendbuf, recvbuf, 0, datatype, op), recvcounts,
                             comm, Completion::by(request));
}
ORRERY_PROFILED(MPI_Ireduce_scatter);
