// MPI 3.1, section 8.3.3: error handlers of files, and of MPI_FILE_NULL, whose handler files get
// when they are opened (section 13.7).
#include "files/file_calls.hpp"

using namespace orrery::mpi;

namespace {

int find_owner(const Call& call, MPI_File handle, File*& owner) {
  owner = &call.state.no_file;
  if (find_predefined(handle, HandleKind::file)) return MPI_SUCCESS;
  return check_file(call, handle, owner);
}

}  // namespace

ORRERY_MPI_API int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  const Call call = ORRERY_CALL("MPI_File_set_errhandler");
  File* owner = nullptr;
  if (const int error = find_owner(call, file, owner)) return error;
  return set_error_handler(call, *owner, errhandler);
}
ORRERY_PROFILED(MPI_File_set_errhandler);

ORRERY_MPI_API int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_File_get_errhandler");
  File* owner = nullptr;
  if (const int error = find_owner(call, file, owner)) return error;
  return get_error_handler(call, *owner, errhandler);
}
ORRERY_PROFILED(MPI_File_get_errhandler);

ORRERY_MPI_API int MPI_File_call_errhandler(MPI_File fh, int errorcode) {
  const Call call = ORRERY_CALL("MPI_File_call_errhandler");
  File* owner = nullptr;
  if (const int error = find_owner(call, fh, owner)) return error;
  return call_error_handler(call, *owner, errorcode);
}
ORRERY_PROFILED(MPI_File_call_errhandler);
