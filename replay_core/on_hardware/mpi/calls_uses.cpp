// What may go another way each time and is in no record: it is said that the program uses it.
#include "calls.hpp"

using namespace orrery::on_hardware;
using orrery::rank_spool::Use;

ORRERY_RECORDED int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info,
                                   MPI_Comm comm, MPI_Win* win) {
  note_use(Use::one_sided);
  return real().win_create(base, size, unit, info, comm, win);
}

ORRERY_RECORDED int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                                     void* base, MPI_Win* win) {
  note_use(Use::one_sided);
  return real().win_allocate(size, unit, info, comm, base, win);
}

ORRERY_RECORDED int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                                            void* base, MPI_Win* win) {
  note_use(Use::one_sided);
  return real().win_allocate_shared(size, unit, info, comm, base, win);
}

ORRERY_RECORDED int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  note_use(Use::one_sided);
  return real().win_create_dynamic(info, comm, win);
}

ORRERY_RECORDED int MPI_File_read_shared(MPI_File file, void* buf, int count, MPI_Datatype type,
                                         MPI_Status* status) {
  note_use(Use::shared_file_pointers);
  return real().file_read_shared(file, buf, count, type, status);
}

ORRERY_RECORDED int MPI_File_write_shared(MPI_File file, const void* buf, int count,
                                          MPI_Datatype type, MPI_Status* status) {
  note_use(Use::shared_file_pointers);
  return real().file_write_shared(file, buf, count, type, status);
}

ORRERY_RECORDED int MPI_File_iread_shared(MPI_File file, void* buf, int count, MPI_Datatype type,
                                          MPI_Request* request) {
  note_use(Use::shared_file_pointers);
  return real().file_iread_shared(file, buf, count, type, request);
}

ORRERY_RECORDED int MPI_File_iwrite_shared(MPI_File file, const void* buf, int count,
                                           MPI_Datatype type, MPI_Request* request) {
  note_use(Use::shared_file_pointers);
  return real().file_iwrite_shared(file, buf, count, type, request);
}
