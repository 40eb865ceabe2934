// MPI 3.1, section 13.4.3: data access by the individual file pointers.
#include "files/file_access.hpp"

using namespace orrery::mpi;

namespace {

using Pointer = AccessKind::Pointer;

AccessKind reads(bool is_collective = false) {
  return {false, Pointer::individual, is_collective};
}

AccessKind writes(bool is_collective = false) {
  return {true, Pointer::individual, is_collective};
}

}  // namespace

ORRERY_MPI_API int MPI_File_read(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                 MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read"), fh, reads(), {buf, count, datatype}, status);
}
ORRERY_PROFILED(MPI_File_read);

ORRERY_MPI_API int MPI_File_iread(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                  MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iread"), fh, reads(), {buf, count, datatype}, request);
}
ORRERY_PROFILED(MPI_File_iread);

ORRERY_MPI_API int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                     MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_read_all"), fh, reads(true), {buf, count, datatype},
                    status);
}
ORRERY_PROFILED(MPI_File_read_all);

ORRERY_MPI_API int MPI_File_iread_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                      MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iread_all"), fh, reads(true), {buf, count, datatype},
                      request);
}
ORRERY_PROFILED(MPI_File_iread_all);

ORRERY_MPI_API int MPI_File_read_all_begin(MPI_File fh, void* buf, int count,
                                           MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_read_all_begin"), fh, reads(true),
                      {buf, count, datatype});
}
ORRERY_PROFILED(MPI_File_read_all_begin);

ORRERY_MPI_API int MPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_read_all_end"), fh, "MPI_File_read_all_begin", buf,
                    status);
}
ORRERY_PROFILED(MPI_File_read_all_end);

ORRERY_MPI_API int MPI_File_write(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                  MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write"), fh, writes(), outgoing(buf, count, datatype),
                    status);
}
ORRERY_PROFILED(MPI_File_write);

ORRERY_MPI_API int MPI_File_iwrite(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                   MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iwrite"), fh, writes(), outgoing(buf, count, datatype),
                      request);
}
ORRERY_PROFILED(MPI_File_iwrite);

ORRERY_MPI_API int MPI_File_write_all(MPI_File fh, const void* buf, int count,
                                      MPI_Datatype datatype, MPI_Status* status) {
  return access_now(ORRERY_CALL("MPI_File_write_all"), fh, writes(true),
                    outgoing(buf, count, datatype), status);
}
ORRERY_PROFILED(MPI_File_write_all);

ORRERY_MPI_API int MPI_File_iwrite_all(MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Request* request) {
  return start_access(ORRERY_CALL("MPI_File_iwrite_all"), fh, writes(true),
                      outgoing(buf, count, datatype), request);
}
ORRERY_PROFILED(MPI_File_iwrite_all);

ORRERY_MPI_API int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count,
                                            MPI_Datatype datatype) {
  return begin_access(ORRERY_CALL("MPI_File_write_all_begin"), fh, writes(true),
                      outgoing(buf, count, datatype));
}
ORRERY_PROFILED(MPI_File_write_all_begin);

ORRERY_MPI_API int MPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_access(ORRERY_CALL("MPI_File_write_all_end"), fh, "MPI_File_write_all_begin", buf,
                    status);
}
ORRERY_PROFILED(MPI_File_write_all_end);
