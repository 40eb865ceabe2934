// Files by their names: a program changes only what its run sees of them.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "files/told_answers.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::answered;
using orrery::host::fail;
using orrery::host::FilesCall;
using orrery::host::has_told_answers;
using orrery::host::has_told_contents;
using orrery::host::is_host;
using orrery::host::original;
using orrery::host::running;
using orrery::host::told_answer;
using orrery::host::told_bytes;

namespace {

using Links = orrery::host::UserFiles::Links;

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// Calls `act(files, whole path)` for a path that can be told.
template <typename Act>
int on_path(int directory, const char* path, const Act& act, Links links = Links::follow) {
  const FilesCall call;
  const std::string whole = call.files().absolute(directory, path, links);
  return whole.empty() ? -1 : act(call.files(), whole);
}

Links links_by(int flags) {
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Links::keep_last : Links::follow;
}

int own_status_at(int directory, const char* path, struct stat* result, int flags) {
  if ((flags & AT_EMPTY_PATH) != 0 && path != nullptr && *path == '\0') {
    const auto file = orrery::host::open_file(directory);
    if (file == nullptr) return -1;
    file->status(*result);
    return 0;
  }
  return on_path(
      directory, path,
      [&](auto& files, const std::string& whole) { return files.status(whole, *result); },
      links_by(flags));
}

int status_at(int directory, const char* path, struct stat* result, int flags) {
  return answered(own_status_at(directory, path, result, flags), result);
}

statx_timestamp exact_date(const timespec& date) {
  statx_timestamp exact{};
  exact.tv_sec = date.tv_sec;
  exact.tv_nsec = static_cast<std::uint32_t>(date.tv_nsec);
  return exact;
}

/// All that a program sees of a file, whatever it has asked for.
struct statx extended(const struct stat& status) {
  struct statx result {};
  result.stx_mask = STATX_BASIC_STATS;
  result.stx_blksize = static_cast<std::uint32_t>(status.st_blksize);
  result.stx_nlink = static_cast<std::uint32_t>(status.st_nlink);
  result.stx_uid = status.st_uid;
  result.stx_gid = status.st_gid;
  result.stx_mode = static_cast<std::uint16_t>(status.st_mode);
  result.stx_ino = status.st_ino;
  result.stx_size = static_cast<std::uint64_t>(status.st_size);
  result.stx_blocks = static_cast<std::uint64_t>(status.st_blocks);
  result.stx_atime = exact_date(status.st_atim);
  result.stx_mtime = exact_date(status.st_mtim);
  result.stx_ctime = exact_date(status.st_ctim);
  result.stx_rdev_major = major(status.st_rdev);
  result.stx_rdev_minor = minor(status.st_rdev);
  result.stx_dev_major = major(status.st_dev);
  result.stx_dev_minor = minor(status.st_dev);
  return result;
}

int set_dates(int directory, const char* path, const timespec* dates) {
  std::int64_t modified = 0;
  if (dates != nullptr && dates[1].tv_nsec == UTIME_OMIT) return 0;
  if (dates != nullptr && dates[1].tv_nsec != UTIME_NOW) {
    modified = dates[1].tv_sec * nanoseconds_per_second + dates[1].tv_nsec;
  } else {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);  // the simulated one
    modified = now.tv_sec * nanoseconds_per_second + now.tv_nsec;
  }
  return on_path(directory, path, [&](auto& files, const std::string& whole) {
    return files.set_modified(whole, modified);
  });
}

/// Replaces the last six X before the suffix by what is free; the same in every run.  In a replay
/// of real threads by what they got.
template <typename Try>
int with_free_name(char* name, int suffix_bytes, const Try& attempt) {
  const std::size_t length = std::strlen(name);
  const auto suffix = static_cast<std::size_t>(suffix_bytes);
  constexpr std::size_t places = 6;
  if (length < suffix + places) return fail(EINVAL);
  char* const place = name + length - suffix - places;
  if (std::memcmp(place, "XXXXXX", places) != 0) return fail(EINVAL);
  if (has_told_answers()) {
    if (told_answer(0) == -1) return -1;
    told_bytes({place, places});
    if (std::memcmp(place, "XXXXXX", places) != 0) return attempt();
  }
  for (unsigned i = 0; i < 1'000'000; ++i) {
    unsigned rest = i;
    for (std::size_t k = places; k-- > 0; rest /= 10) {
      place[k] = static_cast<char>('0' + rest % 10);
    }
    const int result = attempt();
    if (result >= 0 || errno != EEXIST) return result;
  }
  return fail(EEXIST);
}

/// 0: nothing has that name.
int is_free(const char* name) {
  struct stat found {};
  return own_status_at(AT_FDCWD, name, &found, AT_SYMLINK_NOFOLLOW) != 0 ? 0 : fail(EEXIST);
}

ssize_t read_link(int directory, const char* path, char* into, std::size_t bytes) {
  const FilesCall call;
  const std::string whole = call.files().absolute(directory, path, Links::keep_last);
  const std::string target = whole.empty() ? whole : call.files().target_of(whole);
  if (target.empty()) return -1;
  const std::size_t count = std::min(bytes, target.size());
  target.copy(into, count);  // without a zero at its end
  return static_cast<ssize_t>(count);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_paths;
const char orrery_interposed_paths = 0;

int stat(const char* path, struct stat* result) noexcept {
  if (is_host()) return original<&stat>("stat")(path, result);
  return status_at(AT_FDCWD, path, result, 0);
}

int lstat(const char* path, struct stat* result) noexcept {
  if (is_host()) return original<&lstat>("lstat")(path, result);
  return status_at(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}

int fstatat(int directory, const char* path, struct stat* result, int flags) noexcept {
  if (is_host()) return original<&fstatat>("fstatat")(directory, path, result, flags);
  return status_at(directory, path, result, flags);
}

int statx(int directory, const char* path, int flags, unsigned mask,
          struct statx* result) noexcept {
  if (is_host()) return original<&statx>("statx")(directory, path, flags, mask, result);
  struct stat found {};
  const int error = own_status_at(directory, path, &found, flags);
  if (error == 0) *result = extended(found);
  return answered(error, result);
}

int __xstat(int, const char* path, struct stat* result) noexcept {
  return stat(path, result);
}

int __lxstat(int, const char* path, struct stat* result) noexcept {
  return lstat(path, result);
}

int access(const char* path, int mode) noexcept {
  if (is_host()) return original<&access>("access")(path, mode);
  return faccessat(AT_FDCWD, path, mode, 0);
}

int euidaccess(const char* path, int mode) noexcept {
  return access(path, mode);
}

int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  if (is_host()) return original<&faccessat>("faccessat")(directory, path, mode, flags);
  return on_path(directory, path,
                 [&](auto& files, const std::string& whole) { return files.access(whole, mode); });
}

int unlink(const char* path) noexcept {
  if (is_host()) return original<&unlink>("unlink")(path);
  return unlinkat(AT_FDCWD, path, 0);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  if (is_host()) return original<&unlinkat>("unlinkat")(directory, path, flags);
  return on_path(
      directory, path,
      [&](auto& files, const std::string& whole) {
        return (flags & AT_REMOVEDIR) != 0 ? files.remove_directory(whole) : files.unlink(whole);
      },
      Links::keep_last);
}

int rmdir(const char* path) noexcept {
  if (is_host()) return original<&rmdir>("rmdir")(path);
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char* path) noexcept {
  if (is_host()) return original<&remove>("remove")(path);
  if (unlink(path) == 0) return 0;
  return errno == EISDIR ? rmdir(path) : -1;
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  if (is_host()) return original<&renameat>("renameat")(from_directory, from, to_directory, to);
  const FilesCall call;
  const std::string source = call.files().absolute(from_directory, from, Links::keep_last);
  const std::string target = call.files().absolute(to_directory, to, Links::keep_last);
  if (source.empty() || target.empty()) return -1;
  return call.files().rename(source, target);
}

int rename(const char* from, const char* to) noexcept {
  if (is_host()) return original<&rename>("rename")(from, to);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  if (is_host()) return original<&mkdirat>("mkdirat")(directory, path, mode);
  return on_path(
      directory, path,
      [&](auto& files, const std::string& whole) { return files.make_directory(whole, mode); },
      Links::keep_last);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (is_host()) return original<&mkdir>("mkdir")(path, mode);
  return mkdirat(AT_FDCWD, path, mode);
}

int chmod(const char* path, mode_t mode) noexcept {
  if (is_host()) return original<&chmod>("chmod")(path, mode);
  return fchmodat(AT_FDCWD, path, mode, 0);
}

int fchmodat(int directory, const char* path, mode_t mode, int flags) noexcept {
  if (is_host()) return original<&fchmodat>("fchmodat")(directory, path, mode, flags);
  return on_path(directory, path, [&](auto& files, const std::string& whole) {
    return files.change_mode(whole, mode);
  });
}

int fchmod(int number, mode_t mode) noexcept {
  if (is_host()) return original<&fchmod>("fchmod")(number, mode);
  return orrery::host::open_file(number) == nullptr ? -1 : 0;
}

// Whose a file is shows nowhere.
int chown(const char* path, uid_t owner, gid_t group) noexcept {
  if (is_host()) return original<&chown>("chown")(path, owner, group);
  return access(path, F_OK);
}

int lchown(const char* path, uid_t owner, gid_t group) noexcept {
  if (is_host()) return original<&lchown>("lchown")(path, owner, group);
  struct stat found {};
  return own_status_at(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW);
}

int fchown(int number, uid_t owner, gid_t group) noexcept {
  if (is_host()) return original<&fchown>("fchown")(number, owner, group);
  return orrery::host::open_file(number) == nullptr ? -1 : 0;
}

int utimensat(int directory, const char* path, const timespec* dates, int flags) noexcept {
  if (is_host()) return original<&utimensat>("utimensat")(directory, path, dates, flags);
  struct stat found {};
  const bool is_of_link = links_by(flags) == Links::keep_last &&
                          own_status_at(directory, path, &found, flags) == 0 &&
                          S_ISLNK(found.st_mode);
  return is_of_link ? 0 : set_dates(directory, path, dates);
}

int utimes(const char* path, const timeval* dates) noexcept {
  if (is_host()) return original<&utimes>("utimes")(path, dates);
  if (dates == nullptr) return set_dates(AT_FDCWD, path, nullptr);
  const timespec exact[2] = {{dates[0].tv_sec, dates[0].tv_usec * 1000},
                             {dates[1].tv_sec, dates[1].tv_usec * 1000}};
  return set_dates(AT_FDCWD, path, exact);
}

int utime(const char* path, const utimbuf* dates) noexcept {
  if (is_host()) return original<&utime>("utime")(path, dates);
  if (dates == nullptr) return set_dates(AT_FDCWD, path, nullptr);
  const timespec exact[2] = {{dates->actime, 0}, {dates->modtime, 0}};
  return set_dates(AT_FDCWD, path, exact);
}

int futimens(int number, const timespec* dates) noexcept {
  if (is_host()) return original<&futimens>("futimens")(number, dates);
  return orrery::host::open_file(number) == nullptr ? -1 : 0;
}

int truncate(const char* path, off_t bytes) noexcept {
  if (is_host()) return original<&truncate>("truncate")(path, bytes);
  return on_path(AT_FDCWD, path, [&](auto& files, const std::string& whole) {
    return files.truncate(whole, bytes);
  });
}

int chdir(const char* path) noexcept {
  if (is_host()) return original<&chdir>("chdir")(path);
  return on_path(AT_FDCWD, path, [&](auto& files, const std::string& whole) {
    return files.change_directory(whole);
  });
}

int fchdir(int number) noexcept {
  if (is_host()) return original<&fchdir>("fchdir")(number);
  const auto file = orrery::host::open_file(number);
  if (file == nullptr) return -1;
  return *file->directory_path() == '\0' ? fail(ENOTDIR) : chdir(file->directory_path());
}

mode_t umask(mode_t mask) noexcept {
  if (is_host()) return original<&umask>("umask")(mask);
  return std::exchange(orrery::host::user_files().of(running().user->rank()).mask, mask & 0777U);
}

ssize_t readlink(const char* path, char* into, std::size_t bytes) noexcept {
  if (is_host()) return original<&readlink>("readlink")(path, into, bytes);
  return readlinkat(AT_FDCWD, path, into, bytes);
}

ssize_t readlinkat(int directory, const char* path, char* into, std::size_t bytes) noexcept {
  if (is_host()) return original<&readlinkat>("readlinkat")(directory, path, into, bytes);
  const ssize_t own = read_link(directory, path, into, bytes);
  if (!has_told_contents()) return own;
  const ssize_t length = told_answer(own);
  if (length > 0) told_bytes({into, std::min(static_cast<std::size_t>(length), bytes)});
  return length;
}

ssize_t __readlink_chk(const char* path, char* into, std::size_t bytes, std::size_t) noexcept {
  return readlink(path, into, bytes);
}

int symlinkat(const char* target, int directory, const char* path) noexcept {
  if (is_host()) return original<&symlinkat>("symlinkat")(target, directory, path);
  const auto make = [target](auto& files, const std::string& whole) {
    return files.make_symbolic_link(whole, target);
  };
  return answered(on_path(directory, path, make, Links::keep_last));
}

int symlink(const char* target, const char* path) noexcept {
  if (is_host()) return original<&symlink>("symlink")(target, path);
  return symlinkat(target, AT_FDCWD, path);
}

int link(const char* from, const char* to) noexcept {
  if (is_host()) return original<&link>("link")(from, to);
  const FilesCall call;
  const std::string source = call.files().absolute(AT_FDCWD, from, Links::keep_last);
  const std::string target = call.files().absolute(AT_FDCWD, to, Links::keep_last);
  if (source.empty() || target.empty()) return -1;
  return call.files().link(source, target);
}

int mkostemps(char* name, int suffix_bytes, int flags) {
  if (is_host()) return original<&mkostemps>("mkostemps")(name, suffix_bytes, flags);
  return with_free_name(name, suffix_bytes,
                        [&] { return open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600); });
}

int mkstemp(char* name) {
  if (is_host()) return original<&mkstemp>("mkstemp")(name);
  return mkostemps(name, 0, 0);
}

int mkostemp(char* name, int flags) {
  if (is_host()) return original<&mkostemp>("mkostemp")(name, flags);
  return mkostemps(name, 0, flags);
}

int mkstemps(char* name, int suffix_bytes) {
  if (is_host()) return original<&mkstemps>("mkstemps")(name, suffix_bytes);
  return mkostemps(name, suffix_bytes, 0);
}

char* mkdtemp(char* name) noexcept {
  if (is_host()) return original<&mkdtemp>("mkdtemp")(name);
  return with_free_name(name, 0, [&] { return mkdir(name, 0700); }) == 0 ? name : nullptr;
}

char* tmpnam(char* name) noexcept {
  static char own_name[L_tmpnam];
  if (is_host()) return original<&tmpnam>("tmpnam")(name);
  char* const place = name == nullptr ? own_name : name;
  std::strcpy(place, P_tmpdir "/fileXXXXXX");
  return with_free_name(place, 0, [place] { return is_free(place); }) == 0 ? place : nullptr;
}

char* mktemp(char* name) noexcept {
  if (is_host()) return original<&mktemp>("mktemp")(name);
  if (with_free_name(name, 0, [name] { return is_free(name); }) != 0) *name = '\0';
  return name;
}

int shm_open(const char* name, int flags, mode_t mode) {
  if (is_host()) return original<&shm_open>("shm_open")(name, flags, mode);
  const std::string path = std::string("/dev/shm/") + (*name == '/' ? name + 1 : name);
  return open(path.c_str(), flags | O_CLOEXEC, mode);
}

int shm_unlink(const char* name) {
  if (is_host()) return original<&shm_unlink>("shm_unlink")(name);
  const std::string path = std::string("/dev/shm/") + (*name == '/' ? name + 1 : name);
  return unlink(path.c_str());
}
}

asm(R"(
.globl stat64, lstat64, fstatat64, __xstat64, __lxstat64, eaccess, truncate64
.globl mkstemp64, mkostemp64, mkstemps64, mkostemps64
.set stat64, stat
.set lstat64, lstat
.set fstatat64, fstatat
.set __xstat64, __xstat
.set __lxstat64, __lxstat
.set eaccess, euidaccess
.set truncate64, truncate
.set mkstemp64, mkstemp
.set mkostemp64, mkostemp
.set mkstemps64, mkstemps
.set mkostemps64, mkostemps
)");
