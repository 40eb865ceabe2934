// MPI 3.1, section 6.7: the predefined functions that copy and delete attributes.  Programs name
// them by the macros of handles.h; a binary of Open MPI's has them under these names.
#include "calls/call.hpp"

namespace {

int copy_nothing(int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int copy_value(void* value, void* copied, int* flag) {
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int OMPI_C_MPI_TYPE_NULL_DELETE_FN(MPI_Datatype, int, void*, void*) {
  return MPI_SUCCESS;
}
ORRERY_MPI_API int OMPI_C_MPI_TYPE_NULL_COPY_FN(MPI_Datatype, int, void*, void*, void*, int* flag) {
  return copy_nothing(flag);
}
ORRERY_MPI_API int OMPI_C_MPI_TYPE_DUP_FN(MPI_Datatype, int, void*, void* value, void* copied,
                                          int* flag) {
  return copy_value(value, copied, flag);
}
ORRERY_MPI_API int OMPI_C_MPI_COMM_NULL_DELETE_FN(MPI_Comm, int, void*, void*) {
  return MPI_SUCCESS;
}
ORRERY_MPI_API int OMPI_C_MPI_COMM_NULL_COPY_FN(MPI_Comm, int, void*, void*, void*, int* flag) {
  return copy_nothing(flag);
}
ORRERY_MPI_API int OMPI_C_MPI_COMM_DUP_FN(MPI_Comm, int, void*, void* value, void* copied,
                                          int* flag) {
  return copy_value(value, copied, flag);
}
ORRERY_MPI_API int OMPI_C_MPI_WIN_NULL_DELETE_FN(MPI_Win, int, void*, void*) {
  return MPI_SUCCESS;
}
ORRERY_MPI_API int OMPI_C_MPI_WIN_NULL_COPY_FN(MPI_Win, int, void*, void*, void*, int* flag) {
  return copy_nothing(flag);
}
ORRERY_MPI_API int OMPI_C_MPI_WIN_DUP_FN(MPI_Win, int, void*, void* value, void* copied,
                                         int* flag) {
  return copy_value(value, copied, flag);
}
ORRERY_MPI_API int OMPI_C_MPI_NULL_DELETE_FN(MPI_Comm, int, void*, void*) {
  return MPI_SUCCESS;
}
ORRERY_MPI_API int OMPI_C_MPI_NULL_COPY_FN(MPI_Comm, int, void*, void*, void*, int* flag) {
  return copy_nothing(flag);
}
ORRERY_MPI_API int OMPI_C_MPI_DUP_FN(MPI_Comm, int, void*, void* value, void* copied, int* flag) {
  return copy_value(value, copied, flag);
}
