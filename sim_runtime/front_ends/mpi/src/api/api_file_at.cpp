// MPI 3.1, section 13.4.2: data access at explicit offsets.
#include "files/file_access.hpp"

using namespace orrery::mpi;

namespace {

using Pointer = AccessKind::Pointer;

AccessKind reads(MPI_Offset offset, bool is_collective = false) {
  return {false, Pointer::none, is_collective, offset};
}

AccessKind writes(MPI_Offset offset, bool is_collective = false) {
  return {true, Pointer::none, is_collective, offset};
}

}  // namespace

ORRERY_MPI_API int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                    MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read_at"), fh, reads(offset), {buf, count, datatype},
                    status);
}
ORRERY_PROFILED(MPI_File_read_at);

ORRERY_MPI_API int MPI_File_iread_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                     MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iread_at"), fh, reads(offset), {buf, count, datatype},
                      request);
}
ORRERY_PROFILED(MPI_File_iread_at);

ORRERY_MPI_API int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                        MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read_at_all"), fh, reads(offset, true),
                    {buf, count, datatype}, status);
}
ORRERY_PROFILED(MPI_File_read_at_all);

ORRERY_MPI_API int MPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                         MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iread_at_all"), fh, reads(offset, true),
                      {buf, count, datatype}, request);
}
ORRERY_PROFILED(MPI_File_iread_at_all);

ORRERY_MPI_API int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                              MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_read_at_all_begin"), fh, reads(offset, true),
                      {buf, count, datatype});
}
ORRERY_PROFILED(MPI_File_read_at_all_begin);

ORRERY_MPI_API int MPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_read_at_all_end"), fh, "MPI_File_read_at_all_begin", buf,
                    status);
}
ORRERY_PROFILED(MPI_File_read_at_all_end);

ORRERY_MPI_API int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                     MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write_at"), fh, writes(offset),
                    outgoing(buf, count, datatype), status);
}
ORRERY_PROFILED(MPI_File_write_at);

ORRERY_MPI_API int MPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                      MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iwrite_at"), fh, writes(offset),
                      outgoing(buf, count, datatype), request);
}
ORRERY_PROFILED(MPI_File_iwrite_at);

ORRERY_MPI_API int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                         MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write_at_all"), fh, writes(offset, true),
                    outgoing(buf, count, datatype), status);
}
ORRERY_PROFILED(MPI_File_write_at_all);

ORRERY_MPI_API int MPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf,
                                          int count, MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iwrite_at_all"), fh, writes(offset, true),
                      outgoing(buf, count, datatype), request);
}
ORRERY_PROFILED(MPI_File_iwrite_at_all);

ORRERY_MPI_API int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf,
                                               int count, MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_write_at_all_begin"), fh, writes(offset, true),
                      outgoing(buf, count, datatype));
}
ORRERY_PROFILED(MPI_File_write_at_all_begin);

ORRERY_MPI_API int MPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_write_at_all_end"), fh, "MPI_File_write_at_all_begin",
                    buf, status);
}
ORRERY_PROFILED(MPI_File_write_at_all_end);
