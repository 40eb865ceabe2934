// MPI 3.1, section 17.2: handles and statuses between C and Fortran.
#include <cstring>

#include "calls/call.hpp"

using namespace orrery::mpi;

extern "C" {
namespace {
constexpr std::size_t status_integers = sizeof(MPI_Status) / sizeof(MPI_Fint);
MPI_Fint ignored_status[status_integers];
MPI_Fint ignored_statuses[status_integers];
}  // namespace

__attribute__((visibility("default"))) MPI_Fint* MPI_F_STATUS_IGNORE = ignored_status;
__attribute__((visibility("default"))) MPI_Fint* MPI_F_STATUSES_IGNORE = ignored_statuses;
}

namespace {

// What is no handle has no number, which -1 is not either (section 17.2.4).
MPI_Fint to_fortran(const Call& call, HandleKind kind, void* handle) {
  if (const auto header = find_predefined(handle, kind)) return number_of_predefined(*header);
  return is_created(handle, kind) ? call.state.fortran_handles.number_of(kind, handle) : -1;
}

template <typename Handle>
Handle to_c(const Call& call, HandleKind kind, MPI_Fint number) {
  void* const predefined = predefined_by_number(kind, number);
  return static_cast<Handle>(predefined != nullptr ? predefined
                                                   : call.state.fortran_handles.find(kind, number));
}

int check_fortran_status(const Call& call, const MPI_Fint* status) {
  if (const int error = call.check_result(status, "f_status")) return error;
  if (status != ignored_status && status != ignored_statuses) return MPI_SUCCESS;
  return call.fail(nullptr, MPI_ERR_ARG,
                   "argument f_status is MPI_F_STATUS_IGNORE, and a status is needed (MPI 3.1, "
                   "section 17.2.5)");
}

}  // namespace

ORRERY_MPI_API MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Comm_c2f"), HandleKind::communicator, comm);
}
ORRERY_PROFILED(MPI_Comm_c2f);

ORRERY_MPI_API MPI_Comm MPI_Comm_f2c(MPI_Fint comm) {
  return to_c<MPI_Comm>(ORRERY_CALL_ANY_TIME("MPI_Comm_f2c"), HandleKind::communicator, comm);
}
ORRERY_PROFILED(MPI_Comm_f2c);

ORRERY_MPI_API MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Errhandler_c2f"), HandleKind::error_handler,
                    errhandler);
}
ORRERY_PROFILED(MPI_Errhandler_c2f);

ORRERY_MPI_API MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler) {
  return to_c<MPI_Errhandler>(ORRERY_CALL_ANY_TIME("MPI_Errhandler_f2c"), HandleKind::error_handler,
                              errhandler);
}
ORRERY_PROFILED(MPI_Errhandler_f2c);

ORRERY_MPI_API MPI_Fint MPI_File_c2f(MPI_File file) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_File_c2f"), HandleKind::file, file);
}
ORRERY_PROFILED(MPI_File_c2f);

ORRERY_MPI_API MPI_File MPI_File_f2c(MPI_Fint file) {
  return to_c<MPI_File>(ORRERY_CALL_ANY_TIME("MPI_File_f2c"), HandleKind::file, file);
}
ORRERY_PROFILED(MPI_File_f2c);

ORRERY_MPI_API MPI_Fint MPI_Group_c2f(MPI_Group group) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Group_c2f"), HandleKind::group, group);
}
ORRERY_PROFILED(MPI_Group_c2f);

ORRERY_MPI_API MPI_Group MPI_Group_f2c(MPI_Fint group) {
  return to_c<MPI_Group>(ORRERY_CALL_ANY_TIME("MPI_Group_f2c"), HandleKind::group, group);
}
ORRERY_PROFILED(MPI_Group_f2c);

ORRERY_MPI_API MPI_Fint MPI_Info_c2f(MPI_Info info) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Info_c2f"), HandleKind::info, info);
}
ORRERY_PROFILED(MPI_Info_c2f);

ORRERY_MPI_API MPI_Info MPI_Info_f2c(MPI_Fint info) {
  return to_c<MPI_Info>(ORRERY_CALL_ANY_TIME("MPI_Info_f2c"), HandleKind::info, info);
}
ORRERY_PROFILED(MPI_Info_f2c);

ORRERY_MPI_API MPI_Fint MPI_Message_c2f(MPI_Message message) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Message_c2f"), HandleKind::message, message);
}
ORRERY_PROFILED(MPI_Message_c2f);

ORRERY_MPI_API MPI_Message MPI_Message_f2c(MPI_Fint message) {
  return to_c<MPI_Message>(ORRERY_CALL_ANY_TIME("MPI_Message_f2c"), HandleKind::message, message);
}
ORRERY_PROFILED(MPI_Message_f2c);

ORRERY_MPI_API MPI_Fint MPI_Op_c2f(MPI_Op op) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Op_c2f"), HandleKind::operation, op);
}
ORRERY_PROFILED(MPI_Op_c2f);

ORRERY_MPI_API MPI_Op MPI_Op_f2c(MPI_Fint op) {
  return to_c<MPI_Op>(ORRERY_CALL_ANY_TIME("MPI_Op_f2c"), HandleKind::operation, op);
}
ORRERY_PROFILED(MPI_Op_f2c);

ORRERY_MPI_API MPI_Fint MPI_Request_c2f(MPI_Request request) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Request_c2f"), HandleKind::request, request);
}
ORRERY_PROFILED(MPI_Request_c2f);

ORRERY_MPI_API MPI_Request MPI_Request_f2c(MPI_Fint request) {
  return to_c<MPI_Request>(ORRERY_CALL_ANY_TIME("MPI_Request_f2c"), HandleKind::request, request);
}
ORRERY_PROFILED(MPI_Request_f2c);

ORRERY_MPI_API MPI_Fint MPI_Type_c2f(MPI_Datatype datatype) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Type_c2f"), HandleKind::datatype, datatype);
}
ORRERY_PROFILED(MPI_Type_c2f);

ORRERY_MPI_API MPI_Datatype MPI_Type_f2c(MPI_Fint datatype) {
  return to_c<MPI_Datatype>(ORRERY_CALL_ANY_TIME("MPI_Type_f2c"), HandleKind::datatype, datatype);
}
ORRERY_PROFILED(MPI_Type_f2c);

ORRERY_MPI_API MPI_Fint MPI_Win_c2f(MPI_Win win) {
  return to_fortran(ORRERY_CALL_ANY_TIME("MPI_Win_c2f"), HandleKind::window, win);
}
ORRERY_PROFILED(MPI_Win_c2f);

ORRERY_MPI_API MPI_Win MPI_Win_f2c(MPI_Fint win) {
  return to_c<MPI_Win>(ORRERY_CALL_ANY_TIME("MPI_Win_f2c"), HandleKind::window, win);
}
ORRERY_PROFILED(MPI_Win_f2c);

ORRERY_MPI_API int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Status_c2f");
  if (c_status == MPI_STATUS_IGNORE)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument c_status is MPI_STATUS_IGNORE, and a status is needed (MPI 3.1, "
                     "section 17.2.5)");
  if (const int error = check_fortran_status(call, f_status)) return error;
  std::memcpy(f_status, c_status, sizeof(MPI_Status));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Status_c2f);

ORRERY_MPI_API int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Status_f2c");
  if (const int error = check_fortran_status(call, f_status)) return error;
  if (const int error = call.check_result(c_status, "c_status")) return error;
  std::memcpy(c_status, f_status, sizeof(MPI_Status));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Status_f2c);
