#include "file_calls.hpp"

#include <cerrno>

namespace orrery::mpi {

int check_file(const Call& call, MPI_File handle, File*& found) {
  found = nullptr;
  if (call.state.files.contains(handle)) {
    found = handle;
    return MPI_SUCCESS;
  }
  const char* what = "no file";
  if (handle == nullptr) what = "a null pointer";
  if (find_predefined(handle, HandleKind::file)) what = "MPI_FILE_NULL";
  if (call.state.files.owns(handle)) what = "a file that was closed";
  return call.fail(&call.state.no_file, MPI_ERR_FILE,
                   "argument fh is %s, where an open file is needed (MPI 3.1, section 13.2)", what);
}

int check_result(const Call& call, const File& file, const void* pointer, const char* argument) {
  if (pointer != nullptr) return MPI_SUCCESS;
  return call.fail(&file, MPI_ERR_ARG, "argument %s is a null pointer, and the result goes there",
                   argument);
}

int check_type(const Call& call, const File& file, MPI_Datatype handle, const char* argument,
               const Datatype*& found) {
  found = call.find_type(handle);
  if (found == nullptr)
    return call.fail(&file, MPI_ERR_TYPE, "argument %s is no datatype (MPI 3.1, section 4.1)",
                     argument);
  if (found->committed) return MPI_SUCCESS;
  return call.fail(&file, MPI_ERR_TYPE,
                   "argument %s is a type that was not committed with MPI_Type_commit (MPI 3.1, "
                   "section 4.1.9)",
                   argument);
}

int check_has_offsets(const Call& call, const File& file) {
  if (!file.shared->is_sequential) return MPI_SUCCESS;
  return call.fail(&file, MPI_ERR_UNSUPPORTED_OPERATION,
                   "the file was opened with MPI_MODE_SEQUENTIAL, so that only its shared file "
                   "pointer can be used (MPI 3.1, section 13.2.1)");
}

int check_no_split(const Call& call, const File& file) {
  if (file.split == nullptr) return MPI_SUCCESS;
  return call.fail(
      &file, MPI_ERR_OTHER,
      "%s has begun on this file and was not ended, and until then no other collective "
      "call may use it (MPI 3.1, section 13.4.5)",
      file.split->call);
}

int check_hints(const Call& call, const ErrorOwner& owner, MPI_Info info) {
  if (find_predefined(info, HandleKind::info) || call.state.infos.contains(info))
    return MPI_SUCCESS;
  return call.fail(
      &owner, MPI_ERR_INFO, "argument info is %s (MPI 3.1, chapter 9)",
      call.state.infos.owns(info) ? "an info object that was freed" : "no info object");
}

void add_hints(MPI_Info info, InfoEntries& hints) {
  if (find_predefined(info, HandleKind::info)) return;
  for (const auto& [key, value] : info->entries) set_entry(hints, key.c_str(), value.c_str());
}

int class_of(int error_number) {
  switch (error_number) {
    case ENOENT: return MPI_ERR_NO_SUCH_FILE;
    case EEXIST: return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM: return MPI_ERR_ACCESS;
    case EROFS: return MPI_ERR_READ_ONLY;
    case EDQUOT: return MPI_ERR_QUOTA;
    case ENOSPC:
    case EFBIG: return MPI_ERR_NO_SPACE;
    case EBUSY:
    case ETXTBSY: return MPI_ERR_FILE_IN_USE;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EINVAL: return MPI_ERR_BAD_FILE;
    default: return MPI_ERR_IO;
  }
}

const char* text_of(int error_number) {
  switch (class_of(error_number)) {
    case MPI_ERR_NO_SUCH_FILE: return "there is no such file";
    case MPI_ERR_FILE_EXISTS: return "the file exists";
    case MPI_ERR_ACCESS: return "that is not permitted";
    case MPI_ERR_READ_ONLY: return "the file system can only be read";
    case MPI_ERR_QUOTA: return "the quota is used up";
    case MPI_ERR_NO_SPACE: return "there is no room left";
    case MPI_ERR_FILE_IN_USE: return "the file is in use";
    case MPI_ERR_BAD_FILE: return "that is no name of a file";
    default: return "the system refuses";
  }
}

void retain(RankState& state, const Datatype& type) {
  if (state.types.contains(&type)) ++type.references;
}

FileTurn::FileTurn(const Call& call, FileContent& content, bool changes)
    : call_(call), content_(content), access_(changes ? ORRERY_ATOMIC_UPDATE : ORRERY_ATOMIC_READ) {
  call.table.atomic_begin(&content, access_, __ATOMIC_SEQ_CST, content.operations + 1, call.pc);
}

// The value is another one after each operation: reading a file again is no polling.
void FileTurn::end() {
  call_.table.atomic_end(&content_, access_, __ATOMIC_SEQ_CST, ++content_.operations,
                         sizeof content_.operations, call_.pc);
}

// A binomial tree towards rank 0, as for reductions.
int Agreement::gather(int code, std::int64_t value) {
  Opinion mine{value, code};
  const std::int32_t rank = collective_.rank();
  std::int32_t distance = 1;
  for (; distance < collective_.size() && (rank & distance) == 0; distance *= 2) {
    if (rank + distance >= collective_.size()) continue;
    Opinion theirs{};
    collective_.receive(rank + distance, &theirs, sizeof theirs);
    if (mine.code == MPI_SUCCESS) mine.code = theirs.code;
    if (mine.code == MPI_SUCCESS && mine.value != theirs.value) mine.code = MPI_ERR_NOT_SAME;
  }
  if (rank != 0) collective_.send(rank - distance, &mine, sizeof mine);
  return rank == 0 ? static_cast<int>(mine.code) : code;
}

int Agreement::announce(int code) {
  std::int32_t answer = code;
  collective_.broadcast(0, reinterpret_cast<std::byte*>(&answer), sizeof answer);
  return collective_.error() != MPI_SUCCESS ? collective_.error() : answer;
}

}  // namespace orrery::mpi
