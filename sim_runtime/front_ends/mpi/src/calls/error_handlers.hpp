// Who is told when a call goes wrong (MPI 3.1, section 8.3).
#pragma once

#include "handles/handles.hpp"

/// What MPI_Comm_create_errhandler and its kin make, and what is predefined.
struct ompi_errhandler_t {
  orrery::mpi::HandleHeader header;
  /// Of the program; null for the predefined ones.
  MPI_Comm_errhandler_function* of_communicator = nullptr;
  MPI_Win_errhandler_function* of_window = nullptr;
  MPI_File_errhandler_function* of_file = nullptr;
  bool returns = false;          ///< MPI_ERRORS_RETURN
  std::uint32_t handles = 0;     ///< that the program has, and must free
  std::uint32_t references = 0;  ///< objects that have it

  /// MPI_ERRORS_ARE_FATAL
  [[nodiscard]] bool is_fatal() const {
    return !returns && of_communicator == nullptr && of_window == nullptr && of_file == nullptr;
  }
  /// Those are neither counted nor freed.
  [[nodiscard]] bool is_predefined() const {
    return of_communicator == nullptr && of_window == nullptr && of_file == nullptr;
  }
};

namespace orrery::mpi {

using ErrorHandler = ompi_errhandler_t;
struct Call;
struct RankState;

/// The two predefined ones.
ErrorHandler& errors_are_fatal();
ErrorHandler& errors_return();

/// What communicators, windows and files have in common: errors on them have a handler.
struct ErrorOwner {
  HandleHeader header;
  ErrorHandler* errors = &errors_are_fatal();
};

/// A new object (or one whose handler was let go) gets this handler.
void give_handler(ErrorOwner& owner, ErrorHandler* handler);
/// The object goes, or gets another handler: one that the program has no handle of goes with the
/// last object that has it.
void let_go_of_handler(RankState& state, ErrorOwner& owner);

/// The handler behind a handle that an object of this kind (communicator, window or file) may have.
int check_error_handler(const Call& call, const ErrorOwner& owner, MPI_Errhandler handle,
                        ErrorHandler*& found);
/// Calls the program's handler, if the object has one; gives the code that it leaves.
int tell_of_error(const RankState& state, const ErrorOwner& owner, int code);

/// The three calls that each kind of object has, once the object is known.
int set_error_handler(const Call& call, ErrorOwner& owner, MPI_Errhandler handle);
int get_error_handler(const Call& call, const ErrorOwner& owner, MPI_Errhandler* handle);
int call_error_handler(const Call& call, const ErrorOwner& owner, int code);

}  // namespace orrery::mpi
