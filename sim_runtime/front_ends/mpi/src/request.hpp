// What a program holds of an operation under way.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/runtime_table.h>

#include "communicator.hpp"
#include "datatypes.hpp"

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

}  // namespace orrery::mpi

struct ompi_request_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::RequestKind kind = orrery::mpi::RequestKind::send;
  OrreryRequest id = 0;     ///< of the machine; 0: complete from the start (MPI_PROC_NULL)
  bool orphan = false;      ///< freed by the program before it was complete
  bool persistent = false;  ///< the handle outlives its operation, which may not be under way
  bool active = true;       ///< under way, or complete without the program knowing
  const char* call = "";    ///< that started it
  std::uintptr_t pc = 0;    ///< where
  ompi_communicator_t* communicator = nullptr;

  // Of sends and receives.
  orrery::mpi::SendKind mode = orrery::mpi::SendKind::standard;
  void* buffer = nullptr;
  std::size_t count = 0;
  const ompi_datatype_t* type = nullptr;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint64_t note = 0;  ///< of the message, for a send

  // Of all others: what the call that ends it gives to the program.
  MPI_Status status{};
  int error = MPI_SUCCESS;
  /// Called before that; may still change the two.  Null: nothing is to be done.
  void (*finish)(const orrery::mpi::Call&, ompi_request_t&) = nullptr;
  void* work = nullptr;  ///< what `finish` knows it by

  [[nodiscard]] bool is_message() const {
    return kind == orrery::mpi::RequestKind::send || kind == orrery::mpi::RequestKind::receive;
  }
};

namespace orrery::mpi {
using Request = ompi_request_t;
}
