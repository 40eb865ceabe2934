// MPI 3.1, section 13.4.4: data access by the shared file pointer.
#include "files/file_access.hpp"

using namespace orrery::mpi;

namespace {

constexpr AccessKind reads_shared{false, AccessKind::Pointer::shared};
constexpr AccessKind writes_shared{true, AccessKind::Pointer::shared};
constexpr AccessKind reads_ordered{false, AccessKind::Pointer::ordered, true};
constexpr AccessKind writes_ordered{true, AccessKind::Pointer::ordered, true};

}  // namespace

ORRERY_MPI_API int MPI_File_read_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                        MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read_shared"), fh, reads_shared, {buf, count, datatype},
                    status);
}
ORRERY_PROFILED(MPI_File_read_shared);

ORRERY_MPI_API int MPI_File_iread_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                         MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iread_shared"), fh, reads_shared,
                      {buf, count, datatype}, request);
}
ORRERY_PROFILED(MPI_File_iread_shared);

ORRERY_MPI_API int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                         MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read_ordered"), fh, reads_ordered, {buf, count, datatype},
                    status);
}
ORRERY_PROFILED(MPI_File_read_ordered);

ORRERY_MPI_API int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count,
                                               MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_read_ordered_begin"), fh, reads_ordered,
                      {buf, count, datatype});
}
ORRERY_PROFILED(MPI_File_read_ordered_begin);

ORRERY_MPI_API int MPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_read_ordered_end"), fh, "MPI_File_read_ordered_begin",
                    buf, status);
}
ORRERY_PROFILED(MPI_File_read_ordered_end);

ORRERY_MPI_API int MPI_File_write_shared(MPI_File fh, const void* buf, int count,
                                         MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write_shared"), fh, writes_shared,
                    outgoing(buf, count, datatype), status);
}
ORRERY_PROFILED(MPI_File_write_shared);

ORRERY_MPI_API int MPI_File_iwrite_shared(MPI_File fh, const void* buf, int count,
                                          MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iwrite_shared"), fh, writes_shared,
                      outgoing(buf, count, datatype), request);
}
ORRERY_PROFILED(MPI_File_iwrite_shared);

ORRERY_MPI_API int MPI_File_write_ordered(MPI_File fh, const void* buf, int count,
                                          MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write_ordered"), fh, writes_ordered,
                    outgoing(buf, count, datatype), status);
}
ORRERY_PROFILED(MPI_File_write_ordered);

ORRERY_MPI_API int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count,
                                                MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_write_ordered_begin"), fh, writes_ordered,
                      outgoing(buf, count, datatype));
}
ORRERY_PROFILED(MPI_File_write_ordered_begin);

ORRERY_MPI_API int MPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_write_ordered_end"), fh, "MPI_File_write_ordered_begin",
                    buf, status);
}
ORRERY_PROFILED(MPI_File_write_ordered_end);
