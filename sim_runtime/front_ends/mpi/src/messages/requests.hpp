// Messages of a program: sending, receiving, and the requests for what is under way.
#pragma once

#include <optional>

#include "calls/call.hpp"

namespace orrery::mpi {

/// Checked arguments of a point-to-point operation.
struct Transfer {
  Communicator* communicator = nullptr;
  const Datatype* type = nullptr;
  void* buffer = nullptr;
  std::size_t count = 0;
  std::int32_t peer = 0;  ///< rank in the communicator, or a wildcard, or MPI_PROC_NULL
  std::int32_t tag = 0;
  [[nodiscard]] std::size_t size_bytes() const { return count * type->size_bytes; }
};

int check_send(const Call& call, const void* buffer, int count, MPI_Datatype type, int destination,
               int tag, MPI_Comm communicator, Transfer& transfer);
int check_receive(const Call& call, void* buffer, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm communicator, Transfer& transfer);
/// What a mode asks for: room in the attached buffer, or a receive that is posted.
int check_mode(const Call& call, const Transfer& transfer, SendKind kind);

/// A send that has started.
struct StartedSend {
  OrreryRequest id = 0;    ///< 0: with MPI_PROC_NULL
  std::uint64_t note = 0;  ///< of its message
};
BufferView view_of(const Transfer& transfer, BufferUse use);
int send(const Call& call, const Transfer& transfer, SendKind kind);
int receive(const Call& call, const Transfer& transfer, MPI_Status* status);
StartedSend start_send(const Call& call, const Transfer& transfer, SendKind kind);
OrreryRequest start_receive(const Call& call, const Transfer& transfer);
/// Unpacks a completed receive, releases it and fills in the status (which may be null).
int finish_receive(const Call& call, const Transfer& transfer, OrreryRequest id,
                   MPI_Status* status);

/// The pattern of a receive or a probe.
OrreryEnvelope pattern_of(const Communicator& communicator, std::int32_t source, std::int32_t tag);
void fill_status(const Communicator& communicator, const OrreryEnvelope& envelope,
                 MPI_Status* status);
void fill_empty_status(MPI_Status* status);
/// All but MPI_ERROR, which only calls that complete several requests set (section 3.2.5).
void copy_status(const MPI_Status& from, MPI_Status* to);
void fill_null_process_status(MPI_Status* status);

/// A request object for an operation that has started (id 0: with MPI_PROC_NULL).
Request* make_request(const Call& call, const Transfer& transfer, OrreryRequest id,
                      RequestKind kind);
/// One for an operation that is no send or receive, with an event that completes it.
Request* make_event_request(const Call& call, Communicator* communicator, RequestKind kind);
/// A send or receive has started: its buffer belongs to it until it ends.
void own_buffer(const Call& call, Request& request);
/// Ends a request that is complete: status, data, memory; the handle becomes MPI_REQUEST_NULL, or
/// the request is inactive if it is a persistent one.
int finish_request(const Call& call, MPI_Request& handle, MPI_Status* status);
/// An event of the machine's that is complete, to stand for an operation that the machine does not
/// know because there is nothing to be done.
OrreryRequest start_complete_event(const Call& call);
/// Cancels a send or a receive, if it is not too late.
void cancel_request(const Call& call, Request& request);
/// Waits until it is complete, or (`poll`) says whether it is.  Meanwhile other threads must leave
/// it alone.
bool await(const Call& call, Request& request, bool poll);
/// Is it complete (or inactive)?  A poll.  The request stays; the data are in their place.
bool look_at_request(const Call& call, Request& request, MPI_Status* status);
/// Starts a persistent one that is inactive.
int start_request(const Call& call, Request& request);
/// What is under way goes on; the handle becomes MPI_REQUEST_NULL.
int free_request(const Call& call, MPI_Request& handle);
/// Completes receives that the program freed while they were under way.
void collect_orphans(const Call& call);
/// The request behind a handle; null if it is MPI_REQUEST_NULL.
int check_request(const Call& call, MPI_Request handle, const char* argument, int index,
                  Request*& found);

}  // namespace orrery::mpi
