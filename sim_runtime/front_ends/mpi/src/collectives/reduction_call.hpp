// The arguments of a reduction or a scan, and what they come to.
#pragma once

#include "collective_call.hpp"
#include "reducing.hpp"

namespace orrery::mpi {

/// The arguments, as the program gives them, and the operation, as it was found.
struct ReductionArguments {
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  int count = 0;
  MPI_Datatype datatype = nullptr;
  MPI_Op op = nullptr;
  Operation operation;
};

inline ReductionArguments reduction_arguments(const void* sendbuf, void* recvbuf, int count,
                                              MPI_Datatype datatype, MPI_Op op) {
  return {sendbuf, recvbuf, count, datatype, op, {}};
}

/// How many elements a rank contributes and gets.
struct ReductionExtents {
  int sent = 0;
  int received = 0;
  bool has_result = true;  ///< this rank gets something, and may reduce in place
  bool contributes = true;
};

/// In place, what a rank contributes lies in its receive buffer.
int check_reduction_data(const Call& call, const Communicator& communicator,
                         ReductionArguments& given, const ReductionExtents& extents,
                         CollectiveData& data);

CollectiveCall describe_reduction(const Call& call, const ReductionArguments& arguments,
                                  const CollectiveData& data, int root);

/// Of elements as they lie in one of the two buffers.
Reduction reduction_of(const ReductionArguments& arguments, const RankBlocks& elements);

/// Operations whose result has as many elements as a contribution, at every rank.
using ReduceEverywhere = void (*)(const Collective&, const Reduction&, const void*, void*);
int reduce_everywhere(const Call& call, ReductionArguments arguments, Communicator& communicator,
                      ReduceEverywhere work, bool may_synchronise, const Completion& completion);

}  // namespace orrery::mpi
