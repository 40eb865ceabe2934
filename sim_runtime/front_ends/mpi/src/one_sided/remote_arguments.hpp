// The arguments of puts, gets and accumulates (MPI 3.1, section 11.3).
#pragma once

#include "calls/call.hpp"
#include "window.hpp"

namespace orrery::mpi {

/// As the program gives them.
struct RemoteArguments {
  RemoteKind kind = RemoteKind::put;
  const void* origin = nullptr;
  int origin_count = 0;
  MPI_Datatype origin_type = nullptr;
  void* result = nullptr;
  int result_count = 0;
  MPI_Datatype result_type = nullptr;
  int target_rank = 0;
  MPI_Aint target_displacement = 0;
  int target_count = 0;
  MPI_Datatype target_type = nullptr;
  MPI_Op operation = nullptr;
  const void* compare = nullptr;  ///< of a compare-and-swap
};

/// Checks all that the origin can see; fills in what of it the operation is.
int check_remote(const Call& call, Window& window, const RemoteArguments& arguments,
                 RemoteOperation& operation);

}  // namespace orrery::mpi
