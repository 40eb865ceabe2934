#include "requests.hpp"

#include <cstdio>
#include <utility>

#include "handles/freed_handles.hpp"

namespace orrery::mpi {
namespace {

Transfer transfer_of(const Request& request) {
  return {request.communicator, request.type, request.buffer,
          request.count,        request.peer, request.tag};
}

void destroy(RankState& state, Request* request) {
  state.owned.give_back(state, request->owned);
  if (request->communicator != nullptr) release(state, *request->communicator);
  if (request->type != nullptr) release(state, *request->type);
  if (request->orphan) --state.orphan_count;
  state.requests.destroy(request);
}

// Ends a send that is complete, or that nobody wants to hear of.
int settle_send(const Call& call, Request& request) {
  fill_empty_status(&request.status);
  if (request.id == 0) return MPI_SUCCESS;
  OrreryEnvelope ignored{};
  const std::uint32_t flags = call.table.inspect(request.id, &ignored);
  const bool is_cancelled = (flags & ORRERY_REQUEST_CANCELLED) != 0;
  if (is_cancelled) call.job.free_buffer(call.job.sent().take(request.note));
  request.status._cancelled = is_cancelled ? 1 : 0;
  call.table.release(request.id);
  if ((flags & ORRERY_REQUEST_FAILED) == 0) return MPI_SUCCESS;
  return call.fail_connection(*request.communicator, request.peer);
}

int settle_receive(const Call& call, Request& request) {
  if (request.id == 0) {
    fill_null_process_status(&request.status);
    return MPI_SUCCESS;
  }
  // A message that does not fit is the mistake of the line that posted the receive.
  const Call poster{request.call, request.pc, call.job, call.state, call.table};
  return finish_receive(poster, transfer_of(request), request.id, &request.status);
}

// The operation is complete: its data are where they belong, and the machine has forgotten it.
void settle(const Call& call, Request& request) {
  if (request.settled) return;
  call.state.owned.check(call, request.owned);
  call.state.owned.give_back(call.state, std::exchange(request.owned, 0));
  if (request.kind == RequestKind::send) {
    request.error = settle_send(call, request);
  } else if (request.kind == RequestKind::receive) {
    request.error = settle_receive(call, request);
  } else {
    if (request.finish != nullptr) request.finish(call, request);
    call.table.release(request.id);
    // When one that the program has let go of is found complete depends on how fast others are.
    if (!request.orphan) call.state.helpers.release(request.helper);
  }
  request.id = 0;
  request.settled = true;
}

[[noreturn]] void fail_awaited(const Call& call, const Request& request) {
  const OrreryPlace there{call.state.rank, request.pc, "started here"};
  call.fail_always_between(Misuse::active_request, there,
                           "another thread of the rank is inside a wait or a test for the same "
                           "request, of %s, and it is "
                           "for one of them only to complete it (MPI 3.1, section 12.4.2)",
                           request.call);
}

}  // namespace

void own_buffer(const Call& call, Request& request) {
  const BufferUse use = request.kind == RequestKind::send ? BufferUse::reads : BufferUse::writes;
  request.owned = call.state.owned.take(call, {request.buffer, request.type, request.count, use});
}

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
  if (id != 0) own_buffer(call, *request);
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
  Request* const request = handle->request;
  settle(call, *request);
  copy_status(request->status, status);
  const int error = request->error;
  if (request->persistent) {
    request->active = false;
    request->settled = false;
    return error;
  }
  handle = MPI_REQUEST_NULL;
  destroy(call.state, request);
  return error;
}

OrreryRequest start_complete_event(const Call& call) {
  const OrreryRequest id = call.table.start_event(call.pc);
  call.table.complete_event(id);
  return id;
}

namespace {

// A poll of what is complete anyway is one as well: who records real runs cannot tell the two.
void poll_complete(const Call& call) {
  const OrreryRequest id = start_complete_event(call);
  std::int32_t index = 0;
  call.table.select(&id, 1, ORRERY_SELECT_POLL_ALL, &index, call.pc);
  call.table.release(id);
}

}  // namespace

bool await(const Call& call, Request& request, bool poll) {
  if (request.id == 0) {
    if (poll) poll_complete(call);
    return true;
  }
  const OrrerySelect mode = poll ? ORRERY_SELECT_POLL_ALL : ORRERY_SELECT_ALL;
  std::int32_t index = 0;
  request.awaited = true;
  const bool is_complete = call.table.select(&request.id, 1, mode, &index, call.pc) > 0;
  request.awaited = false;
  return is_complete;
}

bool look_at_request(const Call& call, Request& request, MPI_Status* status) {
  if (!request.active) {
    fill_empty_status(status);
    return true;
  }
  if (!await(call, request, true)) return false;
  if (request.is_message())
    settle(call, request);
  else if (request.query != nullptr)
    request.query(call, request);
  copy_status(request.status, status);
  return true;
}

int start_request(const Call& call, Request& request) {
  const Transfer transfer = transfer_of(request);
  const bool is_send = request.kind == RequestKind::send;
  if (is_send)
    if (const int error = check_mode(call, transfer, request.mode)) return error;
  request.call = call.name;
  request.pc = call.pc;
  if (is_send) {
    const StartedSend started = start_send(call, transfer, request.mode);
    request.id = started.id;
    request.note = started.note;
  } else {
    request.id = start_receive(call, transfer);
  }
  request.active = true;
  if (request.id != 0) own_buffer(call, request);
  return MPI_SUCCESS;
}

void cancel_request(const Call& call, Request& request) {
  if (request.id != 0) {
    call.table.cancel(request.id, call.pc);
    return;
  }
  const OrreryRequest id = start_complete_event(call);
  call.table.cancel(id, call.pc);
  call.table.release(id);
}

int free_request(const Call& call, MPI_Request& handle) {
  Request* const request = handle->request;
  const bool is_forbidden =
      request->kind == RequestKind::collective || request->kind == RequestKind::one_sided;
  if (is_forbidden && request->active)
    return call.fail(request->communicator, MPI_ERR_REQUEST,
                     "argument request is of %s, and such a request can only be waited for (MPI "
                     "3.1, sections 5.12 and 11.3.5)",
                     request->call);
  handle = MPI_REQUEST_NULL;
  request->persistent = false;
  if (!request->active) {
    destroy(call.state, request);
    return MPI_SUCCESS;
  }
  if (request->kind == RequestKind::send || request->id == 0) {
    MPI_Request ended = request->handle;
    return finish_request(call, ended, MPI_STATUS_IGNORE);
  }
  // The data of a receive still have to reach its buffer when they come.
  call.state.owned.check(call, request->owned);
  call.state.owned.give_back(call.state, std::exchange(request->owned, 0));
  call.state.requests.mark_freed(request);
  request->orphan = true;
  ++call.state.orphan_count;
  collect_orphans(call);
  return MPI_SUCCESS;
}

void collect_orphans(const Call& call) {
  RankState& state = call.state;
  state.requests.for_each([&](Request& request) {
    if (!request.orphan) return;
    OrreryEnvelope ignored{};
    if ((call.table.inspect(request.id, &ignored) & ORRERY_REQUEST_COMPLETE) == 0) return;
    MPI_Request handle = request.handle;
    finish_request(call, handle, MPI_STATUS_IGNORE);
  });
}

int check_request(const Call& call, MPI_Request handle, const char* argument, int index,
                  Request*& found) {
  found = nullptr;
  if (handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  if (call.state.requests.contains(handle) && !handle->request->orphan) {
    found = handle->request;
    if (found->awaited) fail_awaited(call, *found);
    return MPI_SUCCESS;
  }
  if (find_predefined(handle, HandleKind::request)) return MPI_SUCCESS;
  char name[48];
  if (index < 0)
    std::snprintf(name, sizeof(name), "%s", argument);
  else
    std::snprintf(name, sizeof(name), "%s[%d]", argument, index);
  if (call.state.requests.owns(handle))
    return fail_freed(call, nullptr, MPI_ERR_REQUEST, handle->header, name, "a request", "3.7.3");
  return call.fail(nullptr, MPI_ERR_REQUEST,
                   "argument %s is no request (was it ever started?) (MPI 3.1, section 3.7.3)",
                   name);
}

}  // namespace orrery::mpi
