// Who is told when a call goes wrong (MPI 3.1, section 8.3).
#pragma once

#include "handles.hpp"

/// What MPI_Comm_create_errhandler and its kin make, and what is predefined.
struct ompi_errhandler_t {
  orrery::mpi::HandleHeader header;
  /// Of the program; null for the predefined ones.
  MPI_Comm_errhandler_function* of_communicator = nullptr;
  MPI_Win_errhandler_function* of_window = nullptr;
  MPI_File_errhandler_function* of_file = nullptr;
  bool returns = false;  ///< MPI_ERRORS_RETURN
  bool freed = false;    ///< by the program; objects may still have it
  std::uint32_t references = 0;

  /// MPI_ERRORS_ARE_FATAL
  [[nodiscard]] bool is_fatal() const {
    return !returns && of_communicator == nullptr && of_window == nullptr && of_file == nullptr;
  }
};

namespace orrery::mpi {

using ErrorHandler = ompi_errhandler_t;

/// The two predefined ones.
ErrorHandler& errors_are_fatal();
ErrorHandler& errors_return();

/// What communicators, windows and files have in common: errors on them have a handler.
struct ErrorOwner {
  HandleHeader header;
  ErrorHandler* errors = &errors_are_fatal();
};

}  // namespace orrery::mpi
