// MPI 3.1, section 3.9: persistent requests.  Of all of them it has to be known whether they are
// under way: a poll of one that is not comes to nothing that could be otherwise.
#include "calls.hpp"
#include "delays.hpp"

using namespace orrery::on_hardware;

namespace {

int track(int error, const MPI_Request* request) {
  Recording* const found = recording();
  if (found == nullptr || error != MPI_SUCCESS) return error;
  TrackedRequest& made = found->requests().add(*request);
  made.is_persistent = true;
  made.is_active = false;
  return error;
}

void note_start(Recording& recording, MPI_Request handle) {
  TrackedRequest* const known = recording.requests().find(handle);
  if (known == nullptr) return;
  known->is_active = true;
  if (known->is_receive) recording.count_receive(handle);
  if (known->is_wildcard) recording.begin(*known);
}

}  // namespace

ORRERY_RECORDED int MPI_Send_init(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  return track(real().send_init(buf, count, type, dest, tag, comm, request), request);
}

ORRERY_RECORDED int MPI_Bsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                                   MPI_Comm comm, MPI_Request* request) {
  return track(real().bsend_init(buf, count, type, dest, tag, comm, request), request);
}

ORRERY_RECORDED int MPI_Ssend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                                   MPI_Comm comm, MPI_Request* request) {
  return track(real().ssend_init(buf, count, type, dest, tag, comm, request), request);
}

ORRERY_RECORDED int MPI_Rsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                                   MPI_Comm comm, MPI_Request* request) {
  return track(real().rsend_init(buf, count, type, dest, tag, comm, request), request);
}

ORRERY_RECORDED int MPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  const int error = track(real().recv_init(buf, count, type, source, tag, comm, request), request);
  Recording* const found = recording();
  if (found == nullptr || error != MPI_SUCCESS || source == MPI_PROC_NULL) return error;
  if (TrackedRequest* const made = found->requests().find(*request)) {
    made->is_receive = true;
    made->is_wildcard = source == MPI_ANY_SOURCE;
    if (made->is_wildcard) made->ranks = found->world_ranks().of(comm);
  }
  return error;
}

ORRERY_RECORDED int MPI_Start(MPI_Request* request) {
  delays().before_message();
  const int error = real().start(request);
  Recording* const found = recording();
  if (found != nullptr && error == MPI_SUCCESS) note_start(*found, *request);
  return error;
}

ORRERY_RECORDED int MPI_Startall(int count, MPI_Request requests[]) {
  delays().before_message();
  const int error = real().startall(count, requests);
  Recording* const found = recording();
  if (found == nullptr || error != MPI_SUCCESS) return error;
  for (int i = 0; i < count; ++i) note_start(*found, requests[i]);
  return error;
}
