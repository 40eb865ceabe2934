// One call of an MPI function: who calls, from where, and what is wrong with it.
#pragma once

#include <cstdint>

#include "misuse.hpp"
#include "ranks/rank_state.hpp"
#include "ranks/thread_use.hpp"

namespace orrery::mpi {

/// What is wrong: the code that is returned where errors do not end the job, and the class of the
/// finding where they do.
struct Wrong {
  Wrong(int error) : Wrong(error, misuse_of(error)) {}  // NOLINT: mostly the class follows
  Wrong(int error, Misuse sort) : code(error), misuse(sort) {}
  int code;
  Misuse misuse;
};

/// Context of a call.  Value type, made at the start of every function of the interface.
///
/// A wrong argument is a finding of kind `mpi_usage`, which ends the run; where the program has set
/// MPI_ERRORS_RETURN or a handler of its own, the error code is returned instead, as sections 8.3
/// and 8.4 say.  So the functions that check return MPI_SUCCESS or a code to hand on.
struct Call {
  const char* name;
  std::uintptr_t pc;
  Job& job;
  RankState& state;
  const OrreryRuntime& table;
  Presence presence{};

  /// An error on this communicator, window or file (null: MPI_COMM_WORLD's error handler decides).
  int fail(const ErrorOwner* owner, const Wrong& wrong, const char* format, ...) const
      __attribute__((format(printf, 4, 5)));
  /// An error after which nothing is defined: a finding whatever the error handler.
  [[noreturn]] void fail_always(Misuse misuse, const char* format, ...) const
      __attribute__((format(printf, 3, 4)));
  /// The same two, where this call and another line do not fit together.
  int fail_between(const ErrorOwner* owner, const Wrong& wrong, const OrreryPlace& there,
                   const char* format, ...) const __attribute__((format(printf, 5, 6)));
  [[noreturn]] void fail_always_between(Misuse misuse, const OrreryPlace& there, const char* format,
                                        ...) const __attribute__((format(printf, 4, 5)));

  /// The connection to `peer` of this communicator (or a wildcard) is broken: an error of class
  /// MPI_ERR_OTHER, or the end of the job (a finding of kind `exit`).
  int fail_connection(const Communicator& communicator, std::int32_t peer) const;

  /// The object behind a handle; null for MPI_COMM_NULL and the like, and for what is no handle.
  [[nodiscard]] Communicator* find_communicator(MPI_Comm handle) const;
  [[nodiscard]] const Datatype* find_type(MPI_Datatype handle) const;
  [[nodiscard]] const Operation* find_operation(MPI_Op handle, Operation& builtin) const;

  int check_communicator(MPI_Comm handle, Communicator*& found) const;
  /// `argument` is its name in the standard.
  int check_type(const Communicator* communicator, MPI_Datatype handle, const char* argument,
                 const Datatype*& found) const;
  int check_count(const Communicator* communicator, int count, const char* argument) const;
  int check_buffer(const Communicator* communicator, const void* buffer, const Datatype& type,
                   std::size_t count, const char* argument) const;
  /// Count, type and buffer together.
  int check_data(const Communicator* communicator, const void* buffer, int count,
                 MPI_Datatype handle, const char* buffer_argument, const Datatype*& found) const;
  /// May so many elements of the type be received?
  int check_no_overlap(const Communicator* communicator, const Datatype& type, std::size_t count,
                       const char* argument) const;
  int check_destination(const Communicator& communicator, int rank) const;
  int check_source(const Communicator& communicator, int rank) const;
  int check_send_tag(const Communicator& communicator, int tag) const;
  int check_receive_tag(const Communicator& communicator, int tag) const;
  int check_root(const Communicator& communicator, int root) const;
  /// A place for a result: never null.
  int check_result(const void* pointer, const char* argument) const;
  /// An array or a text that is read, of at least one element.
  int check_input(const void* pointer, const char* argument) const;
};

/// Starts a call that needs MPI to be initialised and not finalised.
Call enter(const char* name, void* return_address);
/// The same, for what any thread may call at any level of thread support (section 12.4.3).
Call enter_by_any_thread(const char* name, void* return_address);
/// Starts a call that is allowed at any time.
Call enter_any_time(const char* name, void* return_address);

/// Lets go of what a request or a communicator held.
void release(RankState& state, Communicator& communicator);
void release(RankState& state, const Datatype& type);

}  // namespace orrery::mpi

/// Starts the call `name` of the function that it stands in: no function of ours could tell who has
/// called that one.
#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))
#define ORRERY_CALL_BY_ANY_THREAD(name) enter_by_any_thread(name, __builtin_return_address(0))
#define ORRERY_CALL_ANY_TIME(name) enter_any_time(name, __builtin_return_address(0))
/// A function of the interface is known under a second name too (chapter 14.2).
#define ORRERY_PROFILED(function) \
  extern "C"                      \
      __attribute__((visibility("default"), alias(#function))) __typeof__(function) P##function
/// Every function of the interface is seen from outside; nothing else is.
#define ORRERY_MPI_API extern "C" __attribute__((visibility("default")))
