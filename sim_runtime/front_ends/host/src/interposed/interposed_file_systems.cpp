// The file systems that files lie in: of a run the same on every machine, and as good as empty.
#include <cerrno>

#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "files/told_answers.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::answered;
using orrery::host::FilesCall;
using orrery::host::is_host;
using orrery::host::original;

namespace {

constexpr unsigned long block_bytes = 4096;
constexpr unsigned long blocks = (1UL << 40U) / block_bytes;
constexpr unsigned long files = 1UL << 24U;
constexpr unsigned long name_bytes_max = 255;

/// The results of `stat`: is it there?
int look_at(const char* path) {
  struct stat found {};
  const FilesCall call;
  const std::string whole = call.files().absolute(AT_FDCWD, path);
  return whole.empty() ? -1 : call.files().status(whole, found);
}

int look_at(int number) {
  return orrery::host::open_file(number) == nullptr ? -1 : 0;
}

void describe(struct statvfs& result) {
  result = {};
  result.f_bsize = result.f_frsize = block_bytes;
  result.f_blocks = result.f_bfree = result.f_bavail = blocks;
  result.f_files = result.f_ffree = result.f_favail = files;
  result.f_namemax = name_bytes_max;
}

void describe(struct statfs& result) {
  constexpr long temporary_files = 0x01021994;  // TMPFS_MAGIC
  result = {};
  result.f_type = temporary_files;
  result.f_bsize = result.f_frsize = block_bytes;
  result.f_blocks = result.f_bfree = result.f_bavail = blocks;
  result.f_files = result.f_ffree = files;
  result.f_namelen = name_bytes_max;
}

template <typename Where, typename Result>
int give(Where where, Result* result) {
  const int error = look_at(where);
  if (error == 0) describe(*result);
  return answered(error, result);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_file_systems;
const char orrery_interposed_file_systems = 0;

int statvfs(const char* path, struct statvfs* result) noexcept {
  if (is_host()) return original<&statvfs>("statvfs")(path, result);
  return give(path, result);
}

int fstatvfs(int number, struct statvfs* result) noexcept {
  if (is_host()) return original<&fstatvfs>("fstatvfs")(number, result);
  return give(number, result);
}

int statfs(const char* path, struct statfs* result) noexcept {
  if (is_host()) return original<&statfs>("statfs")(path, result);
  return give(path, result);
}

int fstatfs(int number, struct statfs* result) noexcept {
  if (is_host()) return original<&fstatfs>("fstatfs")(number, result);
  return give(number, result);
}
}

asm(R"(
.globl statvfs64, fstatvfs64, statfs64, fstatfs64
.set statvfs64, statvfs
.set fstatvfs64, fstatvfs
.set statfs64, statfs
.set fstatfs64, fstatfs
)");
