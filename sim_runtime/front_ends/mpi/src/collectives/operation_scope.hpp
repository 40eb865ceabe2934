// While a reduction calls a function that the program gave to MPI_Op_create.
#pragma once

#include "calls/call.hpp"

namespace orrery::mpi {

/// Made around such a function: within it nothing may be communicated (MPI 3.1, section 5.9.5), and
/// memory that operations have may be accessed.
class OperationScope {
 public:
  OperationScope(RankState& state, const OrreryRuntime& table);
  ~OperationScope();
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  RankState& state_;
  const OrreryRuntime& table_;
  const void* stack_;  // of the thread that runs it: the rank's other threads may go on meanwhile
};

/// A call that communicates, made within such a function, is a finding.
void check_not_in_operation(const Call& call);

}  // namespace orrery::mpi
