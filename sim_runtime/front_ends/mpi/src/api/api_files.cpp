// MPI 3.1, section 13.2: files are opened, closed, deleted and described.
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "communicators/communicator_making.hpp"
#include "files/file_calls.hpp"

using namespace orrery::mpi;

namespace {

int fail_system(const Call& call, const ErrorOwner& owner, const char* path, int error_number) {
  return call.fail(&owner, class_of(error_number), "%s: %s (MPI 3.1, section 13.7)", path,
                   text_of(error_number));
}

CollectiveCall named(const Call& call) {
  CollectiveCall arguments;
  arguments.name = call.name;
  return arguments;
}

const char* wrong_mode(int mode) {
  constexpr int known = MPI_MODE_CREATE | MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR |
                        MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN | MPI_MODE_EXCL |
                        MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL;
  const int access = mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if ((mode & ~known) != 0) return "has bits that are no access mode";
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR)
    return "must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR";
  if (access == MPI_MODE_RDONLY && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
    return "has MPI_MODE_RDONLY, which goes neither with MPI_MODE_CREATE nor with MPI_MODE_EXCL";
  if (access == MPI_MODE_RDWR && (mode & MPI_MODE_SEQUENTIAL) != 0)
    return "has MPI_MODE_RDWR, which does not go with MPI_MODE_SEQUENTIAL";
  return nullptr;
}

int system_flags(int mode) {
  int flags = O_RDWR;
  if ((mode & MPI_MODE_RDONLY) != 0) flags = O_RDONLY;
  if ((mode & MPI_MODE_WRONLY) != 0) flags = O_WRONLY;
  if ((mode & MPI_MODE_CREATE) != 0) flags |= O_CREAT;
  if ((mode & MPI_MODE_EXCL) != 0) flags |= O_EXCL;
  return flags | O_CLOEXEC;
}

/// Opens a file that is no directory; an error number, or 0.
int open_descriptor(const char* path, int flags, int& descriptor) {
  constexpr int readable_by_all = 0666;
  descriptor = open(path, flags, readable_by_all);
  if (descriptor < 0) return errno;
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISDIR(status.st_mode)) return 0;
  close(descriptor);
  descriptor = -1;
  return EISDIR;
}

/// The first rank opens the file, then all others, which find it there.
int open_on_all_ranks(const Collective& collective, const char* path, int mode, int& descriptor) {
  Agreement agreement(collective);
  int error = agreement.gather(MPI_SUCCESS, mode);
  const int flags = system_flags(mode);
  if (collective.rank() == 0 && error == MPI_SUCCESS) {
    const int error_number = open_descriptor(path, flags, descriptor);
    if (error_number != 0) error = class_of(error_number);
  }
  error = agreement.announce(error);
  if (error != MPI_SUCCESS || collective.size() == 1) return error;
  if (collective.rank() != 0) {
    const int error_number = open_descriptor(path, flags & ~(O_CREAT | O_EXCL), descriptor);
    if (error_number != 0) error = class_of(error_number);
  }
  return agreement.announce(agreement.gather(error, 0));
}

MPI_Offset size_bytes_of(const File& file) {
  struct stat status {};
  return fstat(file.descriptor, &status) == 0 ? status.st_size : 0;
}

/// What all ranks have in common, found or made anew by the first that gets here in this opening.
SharedFile& join_shared(const Call& call, const File& file, const char* path) {
  const SharedFiles::Key key{file.communicator->context, file.communicator->world_rank(0)};
  SharedFile& shared = call.job.files().at(key);
  if (shared.users == 0) {
    std::error_code ignored;
    const auto whole = std::filesystem::absolute(path, ignored).lexically_normal();
    shared = {};
    shared.path = path;
    shared.content = &call.job.files().content(whole.string());
    shared.is_sequential = (file.access_mode & MPI_MODE_SEQUENTIAL) != 0;
    if ((file.access_mode & MPI_MODE_APPEND) != 0) shared.position = size_bytes_of(file);
  }
  ++shared.users;
  return shared;
}

}  // namespace

ORRERY_MPI_API int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                                 MPI_File* fh) {
  const Call call = ORRERY_CALL("MPI_File_open");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  const ErrorOwner& owner = call.state.no_file;  // section 13.7: no file is open yet
  if (communicator->is_inter())
    return call.fail(&owner, MPI_ERR_COMM,
                     "argument comm is an intercommunicator (MPI 3.1, section 13.2.1)");
  if (filename == nullptr || fh == nullptr)
    return call.fail(&owner, MPI_ERR_ARG, "argument %s is a null pointer (MPI 3.1, section 13.2.1)",
                     filename == nullptr ? "filename" : "fh");
  if (const char* wrong = wrong_mode(amode))
    return call.fail(&owner, MPI_ERR_AMODE, "argument amode %s (MPI 3.1, section 13.2.1)", wrong);
  if (const int error = check_hints(call, owner, info)) return error;
  const Contexts::Key key{communicator->context, communicator->world_rank(0),
                          communicator->collectives};
  const Collective collective(call, *communicator, named(call));
  int descriptor = -1;
  const int error = open_on_all_ranks(collective, filename, amode, descriptor);
  if (error != MPI_SUCCESS) {
    if (descriptor >= 0) close(descriptor);
    if (error == MPI_ERR_NOT_SAME)
      return call.fail(&owner, error,
                       "argument amode is not the same on all ranks of %s (MPI 3.1, section "
                       "13.2.1)",
                       communicator->name);
    return call.fail(&owner, error, "%s cannot be opened (MPI 3.1, section 13.2.1)", filename);
  }
  File* const file = call.state.files.create();
  give_handler(*file, owner.errors);
  file->descriptor = descriptor;
  file->access_mode = amode;
  file->opened_at = call.pc;
  file->communicator = make_communicator(call, *communicator, key, communicator->group, nullptr);
  file->communicator->freed = true;  // by no handle is it the program's
  file->communicator->header.made = {};
  file->communicator->references = 1;
  std::snprintf(file->communicator->name, MPI_MAX_OBJECT_NAME, "the file's communicator");
  file->shared = &join_shared(call, *file, filename);
  const Datatype& byte = builtin_type(Builtin::byte);
  file->view = make_view(0, byte, byte, DataRepresentation::native);
  if ((amode & MPI_MODE_APPEND) != 0) file->position = size_bytes_of(*file);
  add_hints(info, file->hints);
  *fh = file;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_open);

ORRERY_MPI_API int MPI_File_close(MPI_File* fh) {
  const Call call = ORRERY_CALL("MPI_File_close");
  if (fh == nullptr)
    return call.fail(&call.state.no_file, MPI_ERR_ARG, "argument fh is a null pointer");
  File* file = nullptr;
  if (const int error = check_file(call, *fh, file)) return error;
  if (file->under_way > 0)
    call.fail_always(
        Misuse::missing_wait,
        "%u operations on the file are still under way, and must have been completed before "
        "(MPI 3.1, section 13.2.2)",
        file->under_way);
  const Collective collective(call, *file->communicator, named(call));
  Agreement agreement(collective);
  // Nobody has a use for it any more when rank 0 comes to delete it.
  int error = agreement.gather(MPI_SUCCESS, 0);
  close(file->descriptor);
  const bool deletes = (file->access_mode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  if (deletes && collective.rank() == 0 && unlink(file->shared->path.c_str()) != 0)
    error = class_of(errno);
  error = agreement.announce(error);
  if (error != MPI_SUCCESS)
    error = call.fail(file, error, "%s cannot be deleted (MPI 3.1, section 13.2.2)",
                      file->shared->path.c_str());
  --file->shared->users;
  release(call.state, *file->communicator);
  release(call.state, *file->view.element);
  release(call.state, *file->view.file_type);
  let_go_of_handler(call.state, *file);
  call.state.files.destroy(file);
  *fh = MPI_FILE_NULL;
  return error;
}
ORRERY_PROFILED(MPI_File_close);

ORRERY_MPI_API int MPI_File_delete(const char* filename, MPI_Info info) {
  const Call call = ORRERY_CALL("MPI_File_delete");
  (void)info;
  const ErrorOwner& owner = call.state.no_file;
  if (filename == nullptr)
    return call.fail(&owner, MPI_ERR_ARG, "argument filename is a null pointer");
  return unlink(filename) == 0 ? MPI_SUCCESS : fail_system(call, owner, filename, errno);
}
ORRERY_PROFILED(MPI_File_delete);

namespace {

/// MPI_File_set_size and MPI_File_preallocate: rank 0 acts for all.
template <typename Act>
int resize(const Call& call, MPI_File fh, MPI_Offset size, const Act& act) {
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_has_offsets(call, *file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  if (size < 0)
    return call.fail(file, MPI_ERR_ARG,
                     "argument size is %lld, and must not be negative (MPI 3.1, section 13.2.4)",
                     size);
  if ((file->access_mode & MPI_MODE_RDONLY) != 0)
    return call.fail(file, MPI_ERR_READ_ONLY,
                     "the file was opened with MPI_MODE_RDONLY (MPI 3.1, section 13.2.1)");
  const Collective collective(call, *file->communicator, named(call));
  Agreement agreement(collective);
  int error = agreement.gather(MPI_SUCCESS, size);
  if (collective.rank() == 0 && error == MPI_SUCCESS) {
    FileTurn turn(call, *file->shared->content, true);
    const int error_number = act(*file);
    turn.end();
    if (error_number != 0) error = class_of(error_number);
  }
  error = agreement.announce(error);
  if (error == MPI_SUCCESS) return error;
  if (error == MPI_ERR_NOT_SAME)
    return call.fail(file, error,
                     "argument size is not the same on all ranks (MPI 3.1, section 13.2.4)");
  return call.fail(file, error, "%s cannot get a size of %lld bytes (MPI 3.1, section 13.2.4)",
                   file->shared->path.c_str(), size);
}

}  // namespace

ORRERY_MPI_API int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
  return resize(ORRERY_CALL("MPI_File_set_size"), fh, size, [size](const File& file) {
    return ftruncate(file.descriptor, size) == 0 ? 0 : errno;
  });
}
ORRERY_PROFILED(MPI_File_set_size);

ORRERY_MPI_API int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  return resize(ORRERY_CALL("MPI_File_preallocate"), fh, size, [size](const File& file) {
    return size == 0 ? 0 : posix_fallocate(file.descriptor, 0, size);
  });
}
ORRERY_PROFILED(MPI_File_preallocate);
