// Reading and writing files (MPI 3.1, section 13.4).
#pragma once

#include "file_calls.hpp"

namespace orrery::mpi {

/// Which of the calls for data access it is, but for how it ends.
struct AccessKind {
  enum class Pointer : std::uint8_t { none, individual, shared, ordered };
  bool writes = false;
  Pointer pointer = Pointer::none;
  bool is_collective = false;
  MPI_Offset offset = 0;  ///< of the call, where there is no pointer
};

/// What is read or written, as the program gave it.
struct AccessData {
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = nullptr;
};

/// A buffer that is only read.
inline AccessData outgoing(const void* buffer, int count, MPI_Datatype type) {
  return {const_cast<void*>(buffer), count, type};
}

/// Reads or writes, and comes back when that is done.
int access_now(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data,
               MPI_Status* status);
/// Begins to; the request is complete when it is done.
int start_access(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data,
                 MPI_Request* request);
/// Begins a split collective, and ends it (section 13.4.5).
int begin_access(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data);
int end_access(const Call& call, MPI_File handle, const char* begin_name, const void* buffer,
               MPI_Status* status);

}  // namespace orrery::mpi
