// The operations of reductions (MPI 3.1, section 5.9).
#pragma once

#include "calls/call.hpp"

namespace orrery::mpi {

/// Is the operation defined for the type (table in section 5.9.2)?
int check_reduction(const Call& call, const Communicator& communicator, MPI_Op handle,
                    const Datatype& type, Operation& operation);

/// inout[i] = in[i] op inout[i] for `count` elements that lie as the type says.
void reduce_local(const Operation& operation, const Datatype& type, MPI_Datatype handle, void* in,
                  void* inout, int count);

/// lower[i] = lower[i] op higher[i]; what `higher` holds afterwards is left open.
void reduce_into_lower(const Operation& operation, const Datatype& type, MPI_Datatype handle,
                       void* lower, void* higher, int count);

/// Its name for messages; the same text object for equal operations is not promised.
const char* name_of(const Operation& operation);

}  // namespace orrery::mpi
