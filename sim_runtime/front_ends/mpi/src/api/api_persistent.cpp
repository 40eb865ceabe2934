// MPI 3.1, section 3.9: persistent requests.
#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

int make_persistent(const Call& call, const Transfer& transfer, RequestKind kind, SendKind mode,
                    MPI_Request* request) {
  if (const int error = call.check_result(request, "request")) return error;
  Request* const made = make_request(call, transfer, 0, kind);
  made->mode = mode;
  made->persistent = true;
  made->active = false;
  *request = made->handle;
  return MPI_SUCCESS;
}

int init_send(const Call& call, const void* buf, int count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm, SendKind mode, MPI_Request* request) {
  Transfer transfer;
  if (const int error = check_send(call, buf, count, datatype, dest, tag, comm, transfer))
    return error;
  return make_persistent(call, transfer, RequestKind::send, mode, request);
}

// Is it a persistent request that may be started?
int check_start(const Call& call, MPI_Request handle, const char* argument, int index,
                Request*& found) {
  if (const int error = check_request(call, handle, argument, index, found)) return error;
  if (found == nullptr)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument %s is MPI_REQUEST_NULL, and only a persistent request can be "
                     "started (MPI 3.1, section 3.9)",
                     argument);
  if (!found->persistent)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument %s was made by %s, and only a persistent request can be started "
                     "(MPI 3.1, section 3.9)",
                     argument, found->call);
  if (found->active)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument %s is under way since it was started by %s, and must be completed "
                     "before it is started again (MPI 3.1, section 3.9)",
                     argument, found->call);
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(ORRERY_CALL("MPI_Send_init"), buf, count, datatype, dest, tag, comm,
                   SendKind::standard, request);
}
ORRERY_PROFILED(MPI_Send_init);

ORRERY_MPI_API int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(ORRERY_CALL("MPI_Bsend_init"), buf, count, datatype, dest, tag, comm,
                   SendKind::buffered, request);
}
ORRERY_PROFILED(MPI_Bsend_init);

ORRERY_MPI_API int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(ORRERY_CALL("MPI_Ssend_init"), buf, count, datatype, dest, tag, comm,
                   SendKind::synchronous, request);
}
ORRERY_PROFILED(MPI_Ssend_init);

ORRERY_MPI_API int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(ORRERY_CALL("MPI_Rsend_init"), buf, count, datatype, dest, tag, comm,
                   SendKind::ready, request);
}
ORRERY_PROFILED(MPI_Rsend_init);

ORRERY_MPI_API int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                                 MPI_Comm comm, MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Recv_init");
  Transfer transfer;
  if (const int error = check_receive(call, buf, count, datatype, source, tag, comm, transfer))
    return error;
  return make_persistent(call, transfer, RequestKind::receive, SendKind::standard, request);
}
ORRERY_PROFILED(MPI_Recv_init);

ORRERY_MPI_API int MPI_Start(MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Start");
  if (const int error = call.check_result(request, "request")) return error;
  Request* found = nullptr;
  if (const int error = check_start(call, *request, "request", -1, found)) return error;
  return start_request(call, *found);
}
ORRERY_PROFILED(MPI_Start);

ORRERY_MPI_API int MPI_Startall(int count, MPI_Request requests[]) {
  const Call call = ORRERY_CALL("MPI_Startall");
  if (const int error = call.check_count(nullptr, count, "count")) return error;
  if (count > 0) {
    if (const int error = call.check_result(requests, "array_of_requests")) return error;
  }
  for (int index = 0; index < count; ++index) {
    Request* found = nullptr;
    if (const int error = check_start(call, requests[index], "array_of_requests", index, found))
      return error;
    if (const int error = start_request(call, *found)) return error;
  }
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Startall);
