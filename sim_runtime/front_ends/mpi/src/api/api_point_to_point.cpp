// MPI 3.1, chapter 3: sends and receives.
#include <climits>

#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

int send_blocking(const Call& call, const void* buf, int count, MPI_Datatype datatype, int dest,
                  int tag, MPI_Comm comm, SendKind kind) {
  Transfer transfer;
  if (const int error = check_send(call, buf, count, datatype, dest, tag, comm, transfer))
    return error;
  if (const int error = check_mode(call, transfer, kind)) return error;
  return send(call, transfer, kind);
}

int send_nonblocking(const Call& call, const void* buf, int count, MPI_Datatype datatype, int dest,
                     int tag, MPI_Comm comm, SendKind kind, MPI_Request* request) {
  Transfer transfer;
  if (const int error = check_send(call, buf, count, datatype, dest, tag, comm, transfer))
    return error;
  if (const int error = call.check_result(request, "request")) return error;
  if (const int error = check_mode(call, transfer, kind)) return error;
  const StartedSend started = start_send(call, transfer, kind);
  Request* const made = make_request(call, transfer, started.id, RequestKind::send);
  made->note = started.note;
  made->mode = kind;
  *request = made->handle;
  return MPI_SUCCESS;
}

// The receive is posted first, so that two ranks that exchange never wait for each other.
int exchange(const Call& call, const Transfer& outgoing, const Transfer& incoming,
             MPI_Status* status) {
  if (incoming.peer != MPI_PROC_NULL)
    call.state.owned.check_use(call, view_of(incoming, BufferUse::writes));
  const OrreryRequest id = start_receive(call, incoming);
  const int error = send(call, outgoing, SendKind::standard);
  if (id == 0) {
    fill_null_process_status(status);
    return error;
  }
  std::int32_t index = 0;
  call.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call.pc);
  const int receive_error = finish_receive(call, incoming, id, status);
  return error != MPI_SUCCESS ? error : receive_error;
}

}  // namespace

ORRERY_MPI_API int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                            MPI_Comm comm) {
  return send_blocking(ORRERY_CALL("MPI_Send"), buf, count, datatype, dest, tag, comm,
                       SendKind::standard);
}
ORRERY_PROFILED(MPI_Send);

ORRERY_MPI_API int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm) {
  return send_blocking(ORRERY_CALL("MPI_Bsend"), buf, count, datatype, dest, tag, comm,
                       SendKind::buffered);
}
ORRERY_PROFILED(MPI_Bsend);

ORRERY_MPI_API int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm) {
  return send_blocking(ORRERY_CALL("MPI_Ssend"), buf, count, datatype, dest, tag, comm,
                       SendKind::synchronous);
}
ORRERY_PROFILED(MPI_Ssend);

ORRERY_MPI_API int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm) {
  return send_blocking(ORRERY_CALL("MPI_Rsend"), buf, count, datatype, dest, tag, comm,
                       SendKind::ready);
}
ORRERY_PROFILED(MPI_Rsend);

ORRERY_MPI_API int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, MPI_Status* status) {
  const Call call = ORRERY_CALL("MPI_Recv");
  Transfer transfer;
  if (const int error = check_receive(call, buf, count, datatype, source, tag, comm, transfer))
    return error;
  return receive(call, transfer, status);
}
ORRERY_PROFILED(MPI_Recv);

ORRERY_MPI_API int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  return send_nonblocking(ORRERY_CALL("MPI_Isend"), buf, count, datatype, dest, tag, comm,
                          SendKind::standard, request);
}
ORRERY_PROFILED(MPI_Isend);

ORRERY_MPI_API int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  return send_nonblocking(ORRERY_CALL("MPI_Ibsend"), buf, count, datatype, dest, tag, comm,
                          SendKind::buffered, request);
}
ORRERY_PROFILED(MPI_Ibsend);

ORRERY_MPI_API int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  return send_nonblocking(ORRERY_CALL("MPI_Issend"), buf, count, datatype, dest, tag, comm,
                          SendKind::synchronous, request);
}
ORRERY_PROFILED(MPI_Issend);

ORRERY_MPI_API int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  return send_nonblocking(ORRERY_CALL("MPI_Irsend"), buf, count, datatype, dest, tag, comm,
                          SendKind::ready, request);
}
ORRERY_PROFILED(MPI_Irsend);

ORRERY_MPI_API int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Irecv");
  Transfer transfer;
  if (const int error = check_receive(call, buf, count, datatype, source, tag, comm, transfer))
    return error;
  if (const int error = call.check_result(request, "request")) return error;
  const OrreryRequest id = start_receive(call, transfer);
  *request = make_request(call, transfer, id, RequestKind::receive)->handle;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Irecv);

ORRERY_MPI_API int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                                int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Call call = ORRERY_CALL("MPI_Sendrecv");
  Transfer outgoing;
  Transfer incoming;
  if (const int error =
          check_send(call, sendbuf, sendcount, sendtype, dest, sendtag, comm, outgoing))
    return error;
  if (const int error =
          check_receive(call, recvbuf, recvcount, recvtype, source, recvtag, comm, incoming))
    return error;
  if (incoming.peer != MPI_PROC_NULL && outgoing.peer != MPI_PROC_NULL &&
      share_memory(view_of(outgoing, BufferUse::reads), view_of(incoming, BufferUse::writes)))
    return call.fail(incoming.communicator, {MPI_ERR_BUFFER, Misuse::overlapping_buffers},
                     "arguments sendbuf and recvbuf have memory in common, and must be disjoint; "
                     "MPI_Sendrecv_replace uses one buffer (MPI 3.1, section 3.10)");
  return exchange(call, outgoing, incoming, status);
}
ORRERY_PROFILED(MPI_Sendrecv);

ORRERY_MPI_API int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest,
                                        int sendtag, int source, int recvtag, MPI_Comm comm,
                                        MPI_Status* status) {
  const Call call = ORRERY_CALL("MPI_Sendrecv_replace");
  Transfer outgoing;
  Transfer incoming;
  if (const int error = check_send(call, buf, count, datatype, dest, sendtag, comm, outgoing))
    return error;
  if (const int error = check_receive(call, buf, count, datatype, source, recvtag, comm, incoming))
    return error;
  // The message leaves the buffer before the send returns, and is unpacked only after that.
  return exchange(call, outgoing, incoming, status);
}
ORRERY_PROFILED(MPI_Sendrecv_replace);

ORRERY_MPI_API int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  const Call call = ORRERY_CALL("MPI_Get_count");
  const Datatype* type = nullptr;
  if (const int error = call.check_result(status, "status")) return error;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(count, "count")) return error;
  const std::size_t size = type->size_bytes;
  if (size == 0) {
    *count = status->_ucount == 0 ? 0 : MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const std::size_t whole = status->_ucount / size;
  const bool fits = status->_ucount % size == 0 && whole <= INT_MAX;
  *count = fits ? static_cast<int>(whole) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_count);

ORRERY_MPI_API int MPI_Buffer_attach(void* buffer, int size) {
  const Call call = ORRERY_CALL("MPI_Buffer_attach");
  if (size < 0)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument size is %d, and must not be negative (MPI 3.1, section 3.6)", size);
  if (call.state.attached_buffer != nullptr)
    return call.fail(nullptr, MPI_ERR_BUFFER,
                     "a buffer is attached already, and only one can be (MPI 3.1, section 3.6)");
  if (const int error = call.check_result(buffer, "buffer")) return error;
  call.state.attached_buffer = buffer;
  call.state.attached_size_bytes = size;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Buffer_attach);

ORRERY_MPI_API int MPI_Buffer_detach(void* buffer_address, int* size) {
  const Call call = ORRERY_CALL("MPI_Buffer_detach");
  if (const int error = call.check_result(buffer_address, "buffer_address")) return error;
  if (const int error = call.check_result(size, "size")) return error;
  if (call.state.attached_buffer == nullptr)
    return call.fail(nullptr, MPI_ERR_BUFFER, "no buffer is attached (MPI 3.1, section 3.6)");
  // It comes back when its messages are gone.  Waits as well if they are: what operations a rank
  // does must not depend on how fast others are.
  OrreryRequest gone = 0;
  if (call.state.buffer_messages > 0) {
    gone = call.state.buffer_gone = call.table.start_event(call.pc);
  } else {
    gone = start_complete_event(call);
  }
  std::int32_t index = 0;
  call.table.select(&gone, 1, ORRERY_SELECT_ALL, &index, call.pc);
  call.table.release(gone);
  *static_cast<void**>(buffer_address) = call.state.attached_buffer;
  *size = call.state.attached_size_bytes;
  call.state.attached_buffer = nullptr;
  call.state.attached_size_bytes = 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Buffer_detach);
