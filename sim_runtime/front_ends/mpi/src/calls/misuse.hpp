// What sorts of misuse there are: the classes of findings of kind `mpi_usage`.
#pragma once

#include <cstdint>

namespace orrery::mpi {

enum class Misuse : std::uint8_t {
  // A wrong argument; which of them follows from the error code.
  invalid_argument,
  invalid_rank,
  invalid_tag,
  invalid_count,
  invalid_type,
  invalid_communicator,
  invalid_root,
  invalid_operation,
  invalid_request,
  invalid_group,
  invalid_window,
  invalid_file,
  invalid_buffer,
  invalid_info,
  invalid_key,
  invalid_topology,
  // Two sides that do not fit together.
  truncation,
  type_mismatch,
  collective_mismatch,
  // Memory that an operation owns, or shares with another.
  buffer_in_use,
  overlapping_buffers,
  conflicting_accesses,
  // Objects and their lives.
  leak,
  double_free,
  use_after_free,
  missing_wait,
  active_request,  ///< started or freed while it is under way
  // Order and state.
  outside_init_and_finalize,
  thread_level,
  epoch,
  ready_send,       ///< without its receive
  attached_buffer,  ///< of MPI_Buffer_attach: too small, or not there
  dynamic_processes,
  file_access,
  error,  ///< a code that says no more
};

/// `truncation`, `type mismatch`: lower-case words, which JSON and texts show.
const char* class_name(Misuse misuse);
/// `mpi_usage/truncation`, as the runtime's table takes it.
const char* finding_title(Misuse misuse);
/// The class of an error that a call returns under this code (MPI_ERR_RANK: an invalid rank).
Misuse misuse_of(int error_code);

}  // namespace orrery::mpi
