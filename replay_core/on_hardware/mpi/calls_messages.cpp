// MPI 3.1, chapter 3: sends, receives and probes.
#include "calls.hpp"
#include "delays.hpp"

using namespace orrery::on_hardware;

namespace {

/// For a call that tells whom a receive or a probe from anybody was about: the program's status, or
/// one of ours.
class SourceStatus {
 public:
  explicit SourceStatus(MPI_Status* wanted) : status_(wanted == nullptr ? &own_ : wanted) {
    status_->MPI_SOURCE = Recording::not_told;
  }
  [[nodiscard]] MPI_Status* get() { return status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

/// Does `call`, which receives or looks for a message from anybody, and waits for it.
template <typename Call>
int receive_from_anybody(Recording& recording, MPI_Comm comm, MPI_Status* wanted, Call&& call) {
  SourceStatus status(wanted);
  recording.enter_receive();
  const int error = call(status.get());
  recording.leave_receive(comm, *status.get());
  return error;
}

/// Does `call`, which looks for a message and does not wait.
template <typename Call>
int poll_for_message(Recording& recording, int source, MPI_Comm comm, const int* flag,
                     MPI_Status* wanted, Call&& call) {
  SourceStatus status(wanted);
  const int error = call(status.get());
  if (error != MPI_SUCCESS) return error;
  if (*flag == 0) {
    recording.poll_failed();
    return error;
  }
  recording.poll_succeeded();
  if (source == MPI_ANY_SOURCE) recording.took(comm, *status.get());
  return error;
}

void track_generalized(MPI_Request handle) {
  if (Recording* const found = recording()) found->requests().add(handle).is_generalized = true;
}

}  // namespace

ORRERY_RECORDED int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag,
                             MPI_Comm comm, MPI_Status* status) {
  delays().before_message();
  Recording* const found = recording();
  if (found == nullptr || source != MPI_ANY_SOURCE)
    return real().recv(buf, count, type, source, tag, comm, status);
  return receive_from_anybody(*found, comm, status, [&](MPI_Status* told) {
    return real().recv(buf, count, type, source, tag, comm, told);
  });
}

ORRERY_RECORDED int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 int dest, int sendtag, void* recvbuf, int recvcount,
                                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                 MPI_Status* status) {
  delays().before_message();
  const auto call = [&](MPI_Status* told) {
    return real().sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                           recvtype, source, recvtag, comm, told);
  };
  Recording* const found = recording();
  if (found != nullptr && source != MPI_PROC_NULL) found->count_receive(nullptr);
  if (found == nullptr || source != MPI_ANY_SOURCE) return call(status);
  return receive_from_anybody(*found, comm, status, call);
}

ORRERY_RECORDED int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest,
                                         int sendtag, int source, int recvtag, MPI_Comm comm,
                                         MPI_Status* status) {
  delays().before_message();
  const auto call = [&](MPI_Status* told) {
    return real().sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, told);
  };
  Recording* const found = recording();
  if (found != nullptr && source != MPI_PROC_NULL) found->count_receive(nullptr);
  if (found == nullptr || source != MPI_ANY_SOURCE) return call(status);
  return receive_from_anybody(*found, comm, status, call);
}

ORRERY_RECORDED int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  delays().before_message();
  const int error = real().irecv(buf, count, type, source, tag, comm, request);
  Recording* const found = recording();
  if (found == nullptr || error != MPI_SUCCESS) return error;
  if (source != MPI_PROC_NULL) found->count_receive(*request);
  if (source != MPI_ANY_SOURCE) return error;
  TrackedRequest& made = found->requests().add(*request);
  made.is_wildcard = true;
  made.ranks = found->world_ranks().of(comm);
  found->begin(made);
  return error;
}

ORRERY_RECORDED int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || source != MPI_ANY_SOURCE) return real().probe(source, tag, comm, status);
  return receive_from_anybody(*found, comm, status, [&](MPI_Status* told) {
    return real().probe(source, tag, comm, told);
  });
}

ORRERY_RECORDED int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message,
                               MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || source != MPI_ANY_SOURCE)
    return real().mprobe(source, tag, comm, message, status);
  return receive_from_anybody(*found, comm, status, [&](MPI_Status* told) {
    return real().mprobe(source, tag, comm, message, told);
  });
}

ORRERY_RECORDED int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || source == MPI_PROC_NULL)
    return real().iprobe(source, tag, comm, flag, status);
  return poll_for_message(*found, source, comm, flag, status, [&](MPI_Status* told) {
    return real().iprobe(source, tag, comm, flag, told);
  });
}

ORRERY_RECORDED int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                                MPI_Status* status) {
  Recording* const found = recording();
  if (found == nullptr || source == MPI_PROC_NULL)
    return real().improbe(source, tag, comm, flag, message, status);
  return poll_for_message(*found, source, comm, flag, status, [&](MPI_Status* told) {
    return real().improbe(source, tag, comm, flag, message, told);
  });
}

ORRERY_RECORDED int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                             MPI_Comm comm) {
  delays().before_message();
  return real().send(buf, count, type, dest, tag, comm);
}

ORRERY_RECORDED int MPI_Bsend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                              MPI_Comm comm) {
  delays().before_message();
  return real().bsend(buf, count, type, dest, tag, comm);
}

ORRERY_RECORDED int MPI_Ssend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                              MPI_Comm comm) {
  delays().before_message();
  return real().ssend(buf, count, type, dest, tag, comm);
}

ORRERY_RECORDED int MPI_Rsend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                              MPI_Comm comm) {
  delays().before_message();
  return real().rsend(buf, count, type, dest, tag, comm);
}

ORRERY_RECORDED int MPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  delays().before_message();
  return real().isend(buf, count, type, dest, tag, comm, request);
}

ORRERY_RECORDED int MPI_Ibsend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  delays().before_message();
  return real().ibsend(buf, count, type, dest, tag, comm, request);
}

ORRERY_RECORDED int MPI_Issend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  delays().before_message();
  return real().issend(buf, count, type, dest, tag, comm, request);
}

ORRERY_RECORDED int MPI_Irsend(const void* buf, int count, MPI_Datatype type, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  delays().before_message();
  return real().irsend(buf, count, type, dest, tag, comm, request);
}

ORRERY_RECORDED int MPI_Grequest_start(MPI_Grequest_query_function* query,
                                       MPI_Grequest_free_function* free,
                                       MPI_Grequest_cancel_function* cancel, void* state,
                                       MPI_Request* request) {
  const int error = real().grequest_start(query, free, cancel, state, request);
  if (error == MPI_SUCCESS) track_generalized(*request);
  return error;
}
