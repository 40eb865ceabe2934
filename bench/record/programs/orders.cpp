// What `orrery record` is measured beside: a recorder of the method `orders`, preloaded into the
// ranks of a job.  It keeps the sender and the tag of every receive and every probe, whether or not
// the program names them, in the order in which the calls return; and nothing else, though a replay
// would need the outcomes of polls and of choices among requests, too.
// ORDERS_PREFIX=FILE: rank N writes FILE-N.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

#include "orders_requests.hpp"

#define ORDERED extern "C" __attribute__((visibility("default")))

namespace {

/// One receive or probe.
struct Order {
  std::int32_t source;  ///< as in the status: a rank of the call's communicator
  std::int32_t tag;
};

/// Those of this rank: a buffer, which is written when it is full and at the end.
class Orders {
 public:
  void begin() {
    const char* const prefix = std::getenv("ORDERS_PREFIX");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (prefix != nullptr)
      file_ = std::fopen((prefix + ("-" + std::to_string(rank))).c_str(), "wb");
    if (file_ == nullptr) std::fprintf(stderr, "orders: nothing can be written\n");
    buffer_.reserve(orders_max);
  }
  void keep(const MPI_Status& status) {
    if (status.MPI_SOURCE == MPI_PROC_NULL) return;
    buffer_.push_back({status.MPI_SOURCE, status.MPI_TAG});
    if (buffer_.size() == orders_max) write();
  }
  void end() {
    write();
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }

 private:
  static constexpr std::size_t orders_max = 1 << 16;
  void write() {
    if (file_ != nullptr) std::fwrite(buffer_.data(), sizeof(Order), buffer_.size(), file_);
    buffer_.clear();
  }

  std::FILE* file_ = nullptr;
  std::vector<Order> buffer_;
};

Orders orders;
ReceivesUnderWay receives;
// Of a call for several requests: what they were, and statuses that the program does not want.
std::vector<MPI_Request> before;
std::vector<MPI_Status> own_statuses;

void complete(MPI_Request handle, const MPI_Status& status) {
  ReceivesUnderWay::Receive* const receive = receives.find(handle);
  if (receive == nullptr || !receive->is_active) return;
  int was_cancelled = 0;
  PMPI_Test_cancelled(&status, &was_cancelled);
  if (was_cancelled == 0) orders.keep(status);
  receives.complete(*receive);
}

const MPI_Request* remember(int count, const MPI_Request* requests) {
  before.assign(requests, requests + count);
  return before.data();
}

MPI_Status* statuses_or_own(int count, MPI_Status* wanted) {
  if (wanted != MPI_STATUSES_IGNORE) return wanted;
  own_statuses.resize(static_cast<std::size_t>(count));
  return own_statuses.data();
}

/// Does a call that tells of one message, with a status of the program's or of ours.
template <typename Call>
int with_status(MPI_Status* wanted, Call&& call) {
  MPI_Status own;
  return call(wanted == MPI_STATUS_IGNORE ? &own : wanted);
}

/// Of a call that receives or sees a message.
template <typename Call>
int keep_one(MPI_Status* wanted, Call&& call) {
  return with_status(wanted, [&](MPI_Status* status) {
    const int error = call(status);
    if (error == MPI_SUCCESS) orders.keep(*status);
    return error;
  });
}

int add(int error, int source, MPI_Request* request, bool is_persistent) {
  if (error == MPI_SUCCESS && source != MPI_PROC_NULL) receives.add(*request, is_persistent);
  return error;
}

template <typename Call>
int complete_some(int count, MPI_Request* requests, const int* done, const int* indices,
                  MPI_Status* wanted, Call&& call) {
  const MPI_Request* const were = remember(count, requests);
  MPI_Status* const statuses = statuses_or_own(count, wanted);
  const int error = call(statuses);
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < *done; ++i) complete(were[indices[i]], statuses[i]);
  return error;
}

}  // namespace

ORDERED int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  orders.begin();
  return error;
}

ORDERED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int error = PMPI_Init_thread(argc, argv, required, provided);
  orders.begin();
  return error;
}

ORDERED int MPI_Finalize() {
  orders.end();
  return PMPI_Finalize();
}

ORDERED int MPI_Abort(MPI_Comm comm, int code) {
  orders.end();
  return PMPI_Abort(comm, code);
}

ORDERED int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Status* status) {
  return keep_one(status, [&](MPI_Status* told) {
    return PMPI_Recv(buf, count, type, source, tag, comm, told);
  });
}

ORDERED int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                         int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return keep_one(status, [&](MPI_Status* told) {
    return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                         source, recvtag, comm, told);
  });
}

ORDERED int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag,
                                 int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return keep_one(status, [&](MPI_Status* told) {
    return PMPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, told);
  });
}

ORDERED int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return keep_one(status, [&](MPI_Status* told) { return PMPI_Probe(source, tag, comm, told); });
}

ORDERED int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message,
                       MPI_Status* status) {
  return keep_one(status,
                  [&](MPI_Status* told) { return PMPI_Mprobe(source, tag, comm, message, told); });
}

ORDERED int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message,
                      MPI_Status* status) {
  return keep_one(status,
                  [&](MPI_Status* told) { return PMPI_Mrecv(buf, count, type, message, told); });
}

ORDERED int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Iprobe(source, tag, comm, flag, told);
    if (error == MPI_SUCCESS && *flag != 0) orders.keep(*told);
    return error;
  });
}

ORDERED int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                        MPI_Status* status) {
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Improbe(source, tag, comm, flag, message, told);
    if (error == MPI_SUCCESS && *flag != 0) orders.keep(*told);
    return error;
  });
}

ORDERED int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  return add(PMPI_Irecv(buf, count, type, source, tag, comm, request), source, request, false);
}

ORDERED int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message,
                       MPI_Request* request) {
  const int source = *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;
  return add(PMPI_Imrecv(buf, count, type, message, request), source, request, false);
}

ORDERED int MPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  return add(PMPI_Recv_init(buf, count, type, source, tag, comm, request), source, request, true);
}

ORDERED int MPI_Start(MPI_Request* request) {
  receives.start(*request);
  return PMPI_Start(request);
}

ORDERED int MPI_Startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i) receives.start(requests[i]);
  return PMPI_Startall(count, requests);
}

ORDERED int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request was = *request;
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Wait(request, told);
    if (error == MPI_SUCCESS) complete(was, *told);
    return error;
  });
}

ORDERED int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request was = *request;
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Test(request, flag, told);
    if (error == MPI_SUCCESS && *flag != 0) complete(was, *told);
    return error;
  });
}

ORDERED int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const MPI_Request* const were = remember(count, requests);
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Waitany(count, requests, index, told);
    if (error == MPI_SUCCESS && *index != MPI_UNDEFINED) complete(were[*index], *told);
    return error;
  });
}

ORDERED int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                        MPI_Status* status) {
  const MPI_Request* const were = remember(count, requests);
  return with_status(status, [&](MPI_Status* told) {
    const int error = PMPI_Testany(count, requests, index, flag, told);
    const bool is_one = error == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED;
    if (is_one) complete(were[*index], *told);
    return error;
  });
}

ORDERED int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const MPI_Request* const were = remember(count, requests);
  MPI_Status* const told = statuses_or_own(count, statuses);
  const int error = PMPI_Waitall(count, requests, told);
  for (int i = 0; i < count && error == MPI_SUCCESS; ++i) complete(were[i], told[i]);
  return error;
}

ORDERED int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const MPI_Request* const were = remember(count, requests);
  MPI_Status* const told = statuses_or_own(count, statuses);
  const int error = PMPI_Testall(count, requests, flag, told);
  const bool are_over = error == MPI_SUCCESS && *flag != 0;
  for (int i = 0; i < count && are_over; ++i) complete(were[i], told[i]);
  return error;
}

ORDERED int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                         MPI_Status statuses[]) {
  return complete_some(count, requests, done, indices, statuses, [&](MPI_Status* told) {
    return PMPI_Waitsome(count, requests, done, indices, told);
  });
}

ORDERED int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                         MPI_Status statuses[]) {
  return complete_some(count, requests, done, indices, statuses, [&](MPI_Status* told) {
    return PMPI_Testsome(count, requests, done, indices, told);
  });
}

ORDERED int MPI_Request_free(MPI_Request* request) {
  receives.forget(*request);
  return PMPI_Request_free(request);
}
