// MPI 3.1, sections 13.4.3 and 13.4.4: where the file pointers are.
#include <sys/stat.h>

#include "files/file_calls.hpp"

using namespace orrery::mpi;

namespace {

/// Where a seek leads, in elements of the view.  Others may change the file's size: a turn of it.
int find_target(const Call& call, const File& file, MPI_Offset offset, int whence,
                MPI_Offset current, MPI_Offset& target) {
  switch (whence) {
    case MPI_SEEK_SET: target = offset; break;
    case MPI_SEEK_CUR: target = current + offset; break;
    case MPI_SEEK_END: {
      struct stat status {};
      fstat(file.descriptor, &status);
      target = file.view.elements_in(status.st_size) + offset;
      break;
    }
    default:
      return call.fail(&file, MPI_ERR_ARG,
                       "argument whence is %d, and must be MPI_SEEK_SET, MPI_SEEK_CUR or "
                       "MPI_SEEK_END (MPI 3.1, section 13.4.3)",
                       whence);
  }
  if (target >= 0) return MPI_SUCCESS;
  return call.fail(&file, MPI_ERR_ARG,
                   "the file pointer would come to %lld, before the beginning of the view (MPI "
                   "3.1, section 13.4.3)",
                   target);
}

}  // namespace

ORRERY_MPI_API int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  const Call call = ORRERY_CALL("MPI_File_seek");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  MPI_Offset target = 0;
  if (whence == MPI_SEEK_END) {
    FileTurn turn(call, *file->shared->content, false);
    turn.end();
  }
  if (const int error = find_target(call, *file, offset, whence, file->position, target))
    return error;
  file->position = target;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_seek);

ORRERY_MPI_API int MPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  const Call call = ORRERY_CALL("MPI_File_get_position");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, offset, "offset")) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  *offset = file->position;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_position);

ORRERY_MPI_API int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  const Call call = ORRERY_CALL("MPI_File_get_byte_offset");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, disp, "disp")) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  if (offset < 0)
    return call.fail(file, MPI_ERR_ARG,
                     "argument offset is %lld, and must not be negative (MPI 3.1, section 13.4.3)",
                     offset);
  *disp = file->view.offset_of(static_cast<std::uint64_t>(offset) * file->view.element_bytes);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_byte_offset);

ORRERY_MPI_API int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  const Call call = ORRERY_CALL("MPI_File_seek_shared");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file->communicator, arguments);
  Agreement agreement(collective);
  // Two numbers in one, to be compared: `whence` has few values.
  int error = agreement.gather(MPI_SUCCESS, offset * 1024 + whence);
  SharedFile& shared = *file->shared;
  MPI_Offset target = 0;
  if (collective.rank() == 0 && error == MPI_SUCCESS) {
    FileTurn turn(call, *shared.content, true);
    error = find_target(call, *file, offset, whence, shared.position, target);
    if (error == MPI_SUCCESS) shared.position = target;
    turn.end();
  }
  const int answer = agreement.announce(error);
  if (answer == MPI_SUCCESS || (collective.rank() == 0 && answer != MPI_ERR_NOT_SAME))
    return answer;
  return call.fail(file, answer,
                   answer == MPI_ERR_NOT_SAME
                       ? "arguments offset and whence are not the same on all ranks (MPI 3.1, "
                         "section 13.4.4)"
                       : "the shared file pointer cannot come there (MPI 3.1, section 13.4.4)");
}
ORRERY_PROFILED(MPI_File_seek_shared);

ORRERY_MPI_API int MPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  const Call call = ORRERY_CALL("MPI_File_get_position_shared");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, offset, "offset")) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  FileTurn turn(call, *file->shared->content, false);
  *offset = file->shared->position;
  turn.end();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_position_shared);
