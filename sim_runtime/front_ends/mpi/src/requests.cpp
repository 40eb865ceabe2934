#include "requests.hpp"

namespace orrery::mpi {
namespace {

Transfer transfer_of(const Request& request) {
  return {request.communicator, request.type, request.buffer,
          request.count,        request.peer, request.tag};
}

void destroy(RankState& state, Request* request) {
  if (request->communicator != nullptr) release(state, *request->communicator);
  if (request->type != nullptr) release(state, *request->type);
  if (request->orphan) --state.orphan_count;
  state.requests.destroy(request);
}

int finish_send(const Call& call, const Request& request, MPI_Status* status) {
  fill_empty_status(status);
  if (request.id == 0) return MPI_SUCCESS;
  OrreryEnvelope ignored{};
  const std::uint32_t flags = call.table.inspect(request.id, &ignored);
  const bool is_cancelled = (flags & ORRERY_REQUEST_CANCELLED) != 0;
  if (is_cancelled) call.job.free_buffer(call.job.sent().take(request.note));
  if (status != MPI_STATUS_IGNORE) status->_cancelled = is_cancelled ? 1 : 0;
  call.table.release(request.id);
  if ((flags & ORRERY_REQUEST_FAILED) == 0) return MPI_SUCCESS;
  return call.fail_connection(*request.communicator, request.peer);
}

int finish_event(const Call& call, Request& request, MPI_Status* status) {
  if (request.finish != nullptr) request.finish(call, request);
  call.table.release(request.id);
  if (status != MPI_STATUS_IGNORE) *status = request.status;
  return request.error;
}

}  // namespace

Request* make_request(const Call& call, const Transfer& transfer, OrreryRequest id,
                      RequestKind kind) {
  Request* const request = call.state.requests.create();
  request->id = id;
  request->kind = kind;
  request->buffer = transfer.buffer;
  request->count = transfer.count;
  request->type = transfer.type;
  request->communicator = transfer.communicator;
  request->call = call.name;
  request->peer = transfer.peer;
  request->tag = transfer.tag;
  request->pc = call.pc;
  ++transfer.communicator->references;
  if (call.state.types.contains(transfer.type)) ++transfer.type->references;
  return request;
}

Request* make_event_request(const Call& call, Communicator* communicator, RequestKind kind) {
  Request* const request = call.state.requests.create();
  request->id = call.table.start_event(call.pc);
  request->kind = kind;
  request->communicator = communicator;
  request->call = call.name;
  request->pc = call.pc;
  fill_empty_status(&request->status);
  if (communicator != nullptr) ++communicator->references;
  return request;
}

int finish_request(const Call& call, MPI_Request& handle, MPI_Status* status) {
  Request* const request = handle;
  handle = MPI_REQUEST_NULL;
  if (!request->is_message()) {
    const int result = finish_event(call, *request, status);
    destroy(call.state, request);
    return result;
  }
  if (request->kind == RequestKind::send) {
    const int result = finish_send(call, *request, status);
    destroy(call.state, request);
    return result;
  }
  const Transfer transfer = transfer_of(*request);
  int result = MPI_SUCCESS;
  if (request->id == 0) {
    fill_null_process_status(status);
  } else {
    // A message that does not fit is the mistake of the line that posted the receive.
    const Call poster{request->call, request->pc, call.job, call.state, call.table};
    result = finish_receive(poster, transfer, request->id, status);
  }
  destroy(call.state, request);
  return result;
}

void collect_orphans(const Call& call) {
  RankState& state = call.state;
  state.requests.for_each([&](Request& request) {
    if (!request.orphan) return;
    OrreryEnvelope ignored{};
    if ((call.table.inspect(request.id, &ignored) & ORRERY_REQUEST_COMPLETE) == 0) return;
    MPI_Request handle = &request;
    finish_request(call, handle, MPI_STATUS_IGNORE);
  });
}

int check_request(const Call& call, MPI_Request handle, const char* argument, int index,
                  Request*& found) {
  found = nullptr;
  if (handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  if (call.state.requests.contains(handle) && !handle->orphan) {
    found = handle;
    return MPI_SUCCESS;
  }
  if (find_predefined(handle, HandleKind::request)) return MPI_SUCCESS;
  const char* what = call.state.requests.owns(handle)
                         ? "a request that was completed or freed before"
                         : "no request (was it ever started?)";
  if (index < 0)
    return call.fail(nullptr, MPI_ERR_REQUEST, "argument %s is %s (MPI 3.1, section 3.7.3)",
                     argument, what);
  return call.fail(nullptr, MPI_ERR_REQUEST, "argument %s[%d] is %s (MPI 3.1, section 3.7.3)",
                   argument, index, what);
}

}  // namespace orrery::mpi
