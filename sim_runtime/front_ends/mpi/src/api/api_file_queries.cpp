// MPI 3.1, sections 13.2.5 to 13.2.8 and 13.6: what is known of a file, and how consistent it is.
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "files/file_calls.hpp"

using namespace orrery::mpi;

ORRERY_MPI_API int MPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  const Call call = ORRERY_CALL("MPI_File_get_size");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, size, "size")) return error;
  FileTurn turn(call, *file->shared->content, false);
  struct stat status {};
  const bool is_known = fstat(file->descriptor, &status) == 0;
  turn.end();
  if (!is_known) return call.fail(file, class_of(errno), "%s", text_of(errno));
  *size = status.st_size;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_size);

// The group is the program's to free.
ORRERY_MPI_API int MPI_File_get_group(MPI_File fh, MPI_Group* group) {
  const Call call = ORRERY_CALL("MPI_File_get_group");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, group, "group")) return error;
  Group* const made = call.state.groups.create();
  made->members = file->communicator->group;
  *group = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_group);

ORRERY_MPI_API int MPI_File_set_info(MPI_File fh, MPI_Info info) {
  const Call call = ORRERY_CALL("MPI_File_set_info");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  if (const int error = check_hints(call, *file, info)) return error;
  add_hints(info, file->hints);
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file->communicator, arguments);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_set_info);

ORRERY_MPI_API int MPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  const Call call = ORRERY_CALL("MPI_File_get_info");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, info_used, "info_used")) return error;
  Info* const made = call.state.infos.create();
  made->entries = file->hints;
  *info_used = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_info);

ORRERY_MPI_API int MPI_File_get_amode(MPI_File fh, int* amode) {
  const Call call = ORRERY_CALL("MPI_File_get_amode");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, amode, "amode")) return error;
  *amode = file->access_mode;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_amode);

// Each operation on a file is done at once (section 13.6.1): the flag changes nothing.
ORRERY_MPI_API int MPI_File_set_atomicity(MPI_File fh, int flag) {
  const Call call = ORRERY_CALL("MPI_File_set_atomicity");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file->communicator, arguments);
  Agreement agreement(collective);
  const int error = agreement.announce(agreement.gather(MPI_SUCCESS, flag != 0 ? 1 : 0));
  if (error != MPI_SUCCESS)
    return call.fail(file, error,
                     "argument flag is not the same on all ranks (MPI 3.1, section 13.6.1)");
  file->is_atomic = flag != 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_set_atomicity);

ORRERY_MPI_API int MPI_File_get_atomicity(MPI_File fh, int* flag) {
  const Call call = ORRERY_CALL("MPI_File_get_atomicity");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, flag, "flag")) return error;
  *flag = file->is_atomic ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_atomicity);

ORRERY_MPI_API int MPI_File_sync(MPI_File fh) {
  const Call call = ORRERY_CALL("MPI_File_sync");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file->communicator, arguments);
  if (fsync(file->descriptor) == 0) return MPI_SUCCESS;
  return call.fail(file, class_of(errno), "%s: %s", file->shared->path.c_str(), text_of(errno));
}
ORRERY_PROFILED(MPI_File_sync);
