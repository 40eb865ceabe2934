// Files by their numbers.  A program's numbers are its own: 3 is the first that it opens, whatever
// this process has open besides.
#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/shared_parts.hpp"
#include "files/told_answers.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::answered;
using orrery::host::fail;
using orrery::host::FilesCall;
using orrery::host::is_host;
using orrery::host::note_place_of_call;
using orrery::host::open_file;
using orrery::host::original;
using orrery::host::ProcessFiles;
using orrery::host::receive_parts;
using orrery::host::running;
using orrery::host::send_parts;
using orrery::host::SharedFile;
using orrery::host::user_files;

namespace {

int open_at(int directory, const char* path, int flags, mode_t mode) {
  const FilesCall call;
  constexpr int makes_new = O_CREAT | O_EXCL;
  const bool keeps_last = (flags & O_NOFOLLOW) != 0 || (flags & makes_new) == makes_new;
  using Links = orrery::host::UserFiles::Links;
  const std::string whole =
      call.files().absolute(directory, path, keeps_last ? Links::keep_last : Links::follow);
  if (whole.empty()) return -1;
  auto file = call.files().open(whole, flags, mode);
  if (file == nullptr) return -1;
  return call.own().add(std::move(file), (flags & O_CLOEXEC) != 0);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int duplicate(int number, int least, bool closes_on_exec) {
  auto file = open_file(number);
  if (file == nullptr) return -1;
  const FilesCall call;
  return call.own().add(std::move(file), closes_on_exec, least);
}

int duplicate_to(int number, int target, bool closes_on_exec) {
  auto file = open_file(number);
  if (file == nullptr) return -1;
  if (target < 0 || target >= ProcessFiles::descriptors_max) return fail(EBADF);
  if (number == target) return target;
  if (user_files().of(running().user->rank()).at(target) != nullptr) {
    return orrery::host::replace_file(target, {std::move(file), closes_on_exec}) == 0 ? target : -1;
  }
  const FilesCall call;
  call.own().put(target, {std::move(file), closes_on_exec});
  return target;
}

/// As the system copies from file to file; where an offset is given, it is moved in place of the
/// file's own.
ssize_t copy_bytes(int to, off_t* to_offset, int from, off_t* from_offset, std::size_t bytes) {
  const auto source = open_file(from);
  const auto target = source == nullptr ? nullptr : open_file(to);
  if (target == nullptr) return -1;
  char part[16384];
  ssize_t sum = 0;
  while (static_cast<std::size_t>(sum) < bytes) {
    const std::size_t wanted = std::min(sizeof part, bytes - static_cast<std::size_t>(sum));
    const ssize_t got = from_offset != nullptr ? source->read_at(part, wanted, *from_offset)
                                               : source->read(part, wanted);
    if (got <= 0) return got < 0 && sum == 0 ? -1 : sum;
    const auto count = static_cast<std::size_t>(got);
    const ssize_t put = to_offset != nullptr ? target->write_at(part, count, *to_offset)
                                             : target->write(part, count);
    if (put < 0) return sum == 0 ? -1 : sum;
    if (from_offset != nullptr) *from_offset += put;
    if (to_offset != nullptr) *to_offset += put;
    sum += put;
    if (put < got) return sum;
  }
  return sum;
}

template <typename Transfer>
ssize_t transfer_all(const iovec* parts, int count, const Transfer& transfer) {
  ssize_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const ssize_t bytes = transfer(parts[i], sum);
    if (bytes < 0) return sum > 0 ? sum : -1;
    sum += bytes;
    if (static_cast<std::size_t>(bytes) < parts[i].iov_len) break;
  }
  return sum;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_descriptors;
const char orrery_interposed_descriptors = 0;

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (is_host()) return original<&open>("open")(path, flags, mode);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (is_host()) return original<&openat>("openat")(directory, path, flags, mode);
  return open_at(directory, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int __open_2(const char* path, int flags) {
  return open(path, flags);
}

int __openat_2(int directory, const char* path, int flags) {
  return openat(directory, path, flags);
}

int close(int number) {
  if (is_host()) return original<&close>("close")(number);
  note_place_of_call(ORRERY_CALLER);
  return orrery::host::close_file(number);
}

ssize_t read(int number, void* into, std::size_t bytes) {
  if (is_host()) {
    static const auto next = original<&read>("read");
    return next(number, into, bytes);
  }
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->read(into, bytes);
}

ssize_t __read_chk(int number, void* into, std::size_t bytes, std::size_t) {
  return read(number, into, bytes);
}

ssize_t write(int number, const void* from, std::size_t bytes) {
  if (is_host()) {
    static const auto next = original<&write>("write");
    return next(number, from, bytes);
  }
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->write(from, bytes);
}

ssize_t pread(int number, void* into, std::size_t bytes, off_t offset) {
  if (is_host()) return original<&pread>("pread")(number, into, bytes, offset);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->read_at(into, bytes, offset);
}

ssize_t __pread_chk(int number, void* into, std::size_t bytes, off_t offset, std::size_t) {
  return pread(number, into, bytes, offset);
}

ssize_t pwrite(int number, const void* from, std::size_t bytes, off_t offset) {
  if (is_host()) return original<&pwrite>("pwrite")(number, from, bytes, offset);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->write_at(from, bytes, offset);
}

ssize_t readv(int number, const iovec* parts, int count) {
  if (is_host()) return original<&readv>("readv")(number, parts, count);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  if (SharedFile* const shared = file->shared()) return receive_parts(*shared, parts, count, {});
  return transfer_all(parts, count, [&](const iovec& part, ssize_t) {
    return file->read(part.iov_base, part.iov_len);
  });
}

ssize_t writev(int number, const iovec* parts, int count) {
  if (is_host()) return original<&writev>("writev")(number, parts, count);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  if (SharedFile* const shared = file->shared()) return send_parts(*shared, parts, count, {});
  return transfer_all(parts, count, [&](const iovec& part, ssize_t) {
    return file->write(part.iov_base, part.iov_len);
  });
}

ssize_t preadv(int number, const iovec* parts, int count, off_t offset) {
  if (is_host()) return original<&preadv>("preadv")(number, parts, count, offset);
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  return transfer_all(parts, count, [&](const iovec& part, ssize_t done) {
    return file->read_at(part.iov_base, part.iov_len, offset + done);
  });
}

ssize_t pwritev(int number, const iovec* parts, int count, off_t offset) {
  if (is_host()) return original<&pwritev>("pwritev")(number, parts, count, offset);
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  return transfer_all(parts, count, [&](const iovec& part, ssize_t done) {
    return file->write_at(part.iov_base, part.iov_len, offset + done);
  });
}

off_t lseek(int number, off_t offset, int from) noexcept {
  if (is_host()) return original<&lseek>("lseek")(number, offset, from);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->seek(offset, from);
}

int ftruncate(int number, off_t bytes) noexcept {
  if (is_host()) return original<&ftruncate>("ftruncate")(number, bytes);
  const auto file = open_file(number);
  return file == nullptr ? -1 : file->resize(bytes);
}

int posix_fallocate(int number, off_t offset, off_t bytes) {
  if (is_host()) return original<&posix_fallocate>("posix_fallocate")(number, offset, bytes);
  const auto file = open_file(number);
  if (file == nullptr) return EBADF;
  struct stat now {};
  file->status(now);
  if (now.st_size >= offset + bytes) return 0;
  return file->resize(offset + bytes) == 0 ? 0 : errno;
}

int fallocate(int number, int mode, off_t offset, off_t bytes) {
  if (is_host()) return original<&fallocate>("fallocate")(number, mode, offset, bytes);
  if (mode != 0) return fail(EOPNOTSUPP);
  const int error = posix_fallocate(number, offset, bytes);
  return error == 0 ? 0 : fail(error);
}

int dup(int number) noexcept {
  if (is_host()) return original<&dup>("dup")(number);
  return duplicate(number, 0, false);
}

int dup2(int number, int target) noexcept {
  if (is_host()) return original<&dup2>("dup2")(number, target);
  return duplicate_to(number, target, false);
}

int dup3(int number, int target, int flags) noexcept {
  if (is_host()) return original<&dup3>("dup3")(number, target, flags);
  if (number == target) return fail(EINVAL);
  return duplicate_to(number, target, (flags & O_CLOEXEC) != 0);
}

int fstat(int number, struct stat* result) noexcept {
  if (is_host()) return original<&fstat>("fstat")(number, result);
  const auto file = open_file(number);
  if (file != nullptr) file->status(*result);
  return answered(file == nullptr ? -1 : 0, result);
}

int __fxstat(int, int number, struct stat* result) noexcept {
  return fstat(number, result);
}

int fcntl(int number, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (is_host()) return original<&fcntl>("fcntl")(number, command, argument);
  const auto value = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  auto& own = orrery::host::user_files().of(running().user->rank());
  auto& descriptor = own.descriptors[static_cast<std::size_t>(number)];
  constexpr int changeable = O_APPEND | O_NONBLOCK;
  switch (command) {
    case F_DUPFD: return duplicate(number, value, false);
    case F_DUPFD_CLOEXEC: return duplicate(number, value, true);
    case F_GETFD: return descriptor.closes_on_exec ? FD_CLOEXEC : 0;
    case F_SETFD: descriptor.closes_on_exec = (value & FD_CLOEXEC) != 0; return 0;
    case F_GETFL: return answered(file->flags & (O_ACCMODE | changeable));
    case F_GETPIPE_SZ: return answered(fail(EINVAL));
    case F_SETFL: file->flags = (file->flags & ~changeable) | (value & changeable); return 0;
    // Locks are against other processes, of which a file of the run has none.
    case F_GETLK: static_cast<struct flock*>(argument)->l_type = F_UNLCK; return 0;
    case F_SETLK:
    case F_SETLKW: return 0;
    default: return fail(EINVAL);
  }
}

int flock(int number, int operation) noexcept {
  if (is_host()) return original<&flock>("flock")(number, operation);
  return open_file(number) == nullptr ? -1 : 0;
}

int lockf(int number, int command, off_t bytes) {
  if (is_host()) return original<&lockf>("lockf")(number, command, bytes);
  return open_file(number) == nullptr ? -1 : 0;
}

int ioctl(int number, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (is_host()) return original<&ioctl>("ioctl")(number, request, argument);
  const auto file = open_file(number);
  if (file == nullptr) return -1;
  switch (request) {
    case FIONBIO: break;
    case TIOCGWINSZ: return answered(fail(ENOTTY), static_cast<winsize*>(argument));
    case TIOCGPGRP: return answered(fail(ENOTTY), static_cast<pid_t*>(argument));
    case FIONREAD: return answered(fail(ENOTTY), static_cast<int*>(argument));
    default: return fail(ENOTTY);
  }
  file->flags =
      *static_cast<int*>(argument) != 0 ? file->flags | O_NONBLOCK : file->flags & ~O_NONBLOCK;
  return 0;
}

int isatty(int number) noexcept {
  if (is_host()) return original<&isatty>("isatty")(number);
  if (open_file(number) != nullptr) errno = ENOTTY;
  return answered(0);
}

int fsync(int number) {
  if (is_host()) return original<&fsync>("fsync")(number);
  return open_file(number) == nullptr ? -1 : 0;
}

int fdatasync(int number) {
  if (is_host()) return original<&fdatasync>("fdatasync")(number);
  return open_file(number) == nullptr ? -1 : 0;
}

int posix_fadvise(int number, off_t offset, off_t bytes, int advice) noexcept {
  if (is_host()) return original<&posix_fadvise>("posix_fadvise")(number, offset, bytes, advice);
  return open_file(number) == nullptr ? EBADF : 0;
}

ssize_t sendfile(int to, int from, off_t* offset, std::size_t bytes) noexcept {
  if (is_host()) return original<&sendfile>("sendfile")(to, from, offset, bytes);
  return copy_bytes(to, nullptr, from, offset, bytes);
}

ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset,
                        std::size_t bytes, unsigned flags) {
  if (is_host()) {
    return original<&copy_file_range>("copy_file_range")(from, from_offset, to, to_offset, bytes,
                                                         flags);
  }
  return flags == 0 ? copy_bytes(to, to_offset, from, from_offset, bytes) : fail(EINVAL);
}
}

// One and the same where `off_t` has 64 bits.
asm(R"(
.globl open64, openat64, creat64, __open64_2, __openat64_2, pread64, __pread64_chk, pwrite64
.globl preadv64, pwritev64, lseek64, ftruncate64, fstat64, fcntl64, sendfile64, __fxstat64
.globl posix_fallocate64, fallocate64, posix_fadvise64, lockf64
.set open64, open
.set openat64, openat
.set creat64, creat
.set __open64_2, __open_2
.set __openat64_2, __openat_2
.set pread64, pread
.set __pread64_chk, __pread_chk
.set pwrite64, pwrite
.set preadv64, preadv
.set pwritev64, pwritev
.set lseek64, lseek
.set ftruncate64, ftruncate
.set fstat64, fstat
.set __fxstat64, __fxstat
.set fcntl64, fcntl
.set sendfile64, sendfile
.set posix_fallocate64, posix_fallocate
.set fallocate64, fallocate
.set posix_fadvise64, posix_fadvise
.set lockf64, lockf
)");
