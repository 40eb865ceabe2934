#include "reduction_call.hpp"

namespace orrery::mpi {

int check_reduction_data(const Call& call, const Communicator& communicator,
                         ReductionArguments& given, const ReductionExtents& extents,
                         CollectiveData& data) {
  if (communicator.is_inter() && extents.contributes)
    if (const int error = check_not_in_place(call, communicator, given.sendbuf, "sendbuf"))
      return error;
  const bool in_place = extents.has_result && extents.contributes && given.sendbuf == MPI_IN_PLACE;
  const int received = in_place ? extents.sent : extents.received;
  if (extents.has_result)
    if (const int error = check_own(call, communicator, given.recvbuf, received, given.datatype,
                                    "recvbuf", data.received))
      return error;
  if (in_place) {
    data.sent = data.received;
  } else if (extents.contributes) {
    if (const int error = check_own(call, communicator, given.sendbuf, extents.sent, given.datatype,
                                    "sendbuf", data.sent))
      return error;
    if (const int error = check_apart(call, communicator, &data.sent, &data.received)) return error;
  }
  const RankBlocks& elements = extents.contributes ? data.sent : data.received;
  return check_reduction(call, communicator, given.op, *elements.type, given.operation);
}

CollectiveCall describe_reduction(const Call& call, const ReductionArguments& arguments,
                                  const CollectiveData& data, int root) {
  const RankBlocks& elements = data.sent.in_place() ? data.received : data.sent;
  CollectiveCall description = describe_call(call, root, elements);
  if (!elements.in_place()) description.operation = name_of(arguments.operation);
  return description;
}

Reduction reduction_of(const ReductionArguments& arguments, const RankBlocks& elements) {
  return {arguments.operation, *elements.type, arguments.datatype, elements.count_of(0)};
}

int reduce_everywhere(const Call& call, ReductionArguments arguments, Communicator& communicator,
                      ReduceEverywhere work, bool may_synchronise, const Completion& completion) {
  CollectiveData data;
  const ReductionExtents extents{arguments.count, arguments.count};
  if (const int error = check_reduction_data(call, communicator, arguments, extents, data))
    return error;
  if (const int error = completion.check(call)) return error;
  CollectiveCall description = describe_reduction(call, arguments, data, no_root);
  description.may_synchronise = may_synchronise;
  return perform(
      call, communicator, completion, description, data,
      [arguments, work](const Collective& collective, const RankBlocks& sent, const RankBlocks&) {
        work(collective, reduction_of(arguments, sent), sent.buffer, arguments.recvbuf);
      });
}

}  // namespace orrery::mpi
