// What a program holds of an operation under way.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/runtime_table.h>

#include "communicators/communicator.hpp"
#include "types/datatypes.hpp"

namespace orrery::mpi {

struct Call;

enum class RequestKind : std::uint8_t {
  send,
  receive,
  // Those that an event of the runtime's completes (`start_event`):
  collective,
  one_sided,
  file,
  generalized
};

/// The mode of a send, as the standard has it.
enum class SendKind : std::uint8_t { standard, buffered, synchronous, ready };

struct Request;

}  // namespace orrery::mpi

/// What a handle points at.  Small: slots of requests that have ended are kept for a long while, so
/// that their handles are recognised.
struct alignas(64) ompi_request_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::Request* request = nullptr;  ///< null: it has ended
};

namespace orrery::mpi {

struct Request {
  MPI_Request handle = nullptr;
  RequestKind kind = RequestKind::send;
  OrreryRequest id = 0;     ///< of the machine; 0: complete (MPI_PROC_NULL, or `settled`)
  bool orphan = false;      ///< freed by the program before it was complete
  bool persistent = false;  ///< the handle outlives its operation, which may not be under way
  bool active = true;       ///< under way, or complete without the program knowing
  bool awaited = false;     ///< by a thread that is inside a wait or a test
  bool settled = false;     ///< `status` and `error` are those of the complete operation
  const char* call = "";    ///< that started it, or that made it and it was not started since
  std::uintptr_t pc = 0;    ///< where
  ompi_communicator_t* communicator = nullptr;

  // Of sends and receives.
  SendKind mode = SendKind::standard;
  void* buffer = nullptr;
  std::size_t count = 0;
  const ompi_datatype_t* type = nullptr;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint64_t note = 0;    ///< of the message, for a send
  std::uint32_t helper = 0;  ///< who does it, as `Helpers` numbers them; 0: nobody
  std::uint32_t owned = 0;   ///< the buffer, as `OwnedMemory` names it; 0: not owned

  // What the call that ends it gives to the program.
  MPI_Status status{};
  int error = MPI_SUCCESS;
  // Of all but sends and receives; null: nothing is to be done.
  /// Called once when it is complete and ends; may still change the two.
  void (*finish)(const Call&, Request&) = nullptr;
  /// Fills the two in for MPI_Request_get_status; it does not end.
  void (*query)(const Call&, Request&) = nullptr;
  /// For MPI_Cancel.
  int (*cancel)(const Call&, Request&) = nullptr;
  void* work = nullptr;  ///< what these know it by

  [[nodiscard]] bool is_message() const {
    return kind == RequestKind::send || kind == RequestKind::receive;
  }
};

}  // namespace orrery::mpi
