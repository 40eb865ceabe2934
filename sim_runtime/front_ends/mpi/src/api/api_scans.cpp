// MPI 3.1, section 5.11: scans.
#include "collectives/reduction_call.hpp"
#include "communicators/communicator_making.hpp"

using namespace orrery::mpi;

namespace {

int scan_with(const Call& call, const ReductionArguments& arguments, MPI_Comm comm,
              ReduceEverywhere work, const Completion& completion) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = check_intracommunicator(call, *communicator, "comm", "5.11")) return error;
  return reduce_everywhere(call, arguments, *communicator, work, true, completion);
}

}  // namespace

ORRERY_MPI_API int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm) {
  return scan_with(ORRERY_CALL("MPI_Scan"),
                   reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm, scan,
                   Completion::blocking());
}
ORRERY_PROFILED(MPI_Scan);

ORRERY_MPI_API int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return scan_with(ORRERY_CALL("MPI_Iscan"),
                   reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm, scan,
                   Completion::by(request));
}
ORRERY_PROFILED(MPI_Iscan);

ORRERY_MPI_API int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return scan_with(ORRERY_CALL("MPI_Exscan"),
                   reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm, exclusive_scan,
                   Completion::blocking());
}
ORRERY_PROFILED(MPI_Exscan);

ORRERY_MPI_API int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return scan_with(ORRERY_CALL("MPI_Iexscan"),
                   reduction_arguments(sendbuf, recvbuf, count, datatype, op), comm, exclusive_scan,
                   Completion::by(request));
}
ORRERY_PROFILED(MPI_Iexscan);
