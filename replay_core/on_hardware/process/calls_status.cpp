// What files are, by name and by number; of which file systems, and of which devices.
#include <cstdarg>
#include <cstdint>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "answers.hpp"
#include "input_notes.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"
#include "transfers.hpp"

using namespace orrery::on_hardware;

namespace {

void note(const void* caller, int from, const char* path) {
  if (is_watched(caller)) input_notes().look(from, path, Look::status);
}

/// How much of the argument such a request fills in; 0: it is none that is followed.
std::size_t bytes_given_by(unsigned long request) {
  switch (request) {
    case TIOCGWINSZ: return sizeof(winsize);
    case FIONREAD: return sizeof(int);
    case TIOCGPGRP: return sizeof(pid_t);
    default: return 0;
  }
}

}  // namespace

ORRERY_RECORDED int stat(const char* path, struct stat* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  static constinit NextFunction<int (*)(const char*, struct stat*)> real_one;
  return answered(caller, real_one.by_name("stat")(path, result), result);
}

ORRERY_RECORDED int stat64(const char* path, struct stat64* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  static constinit NextFunction<int (*)(const char*, struct stat64*)> real_one;
  return answered(caller, real_one.by_name("stat64")(path, result), result);
}

ORRERY_RECORDED int lstat(const char* path, struct stat* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  return answered(caller, next<&::lstat>("lstat")(path, result), result);
}

ORRERY_RECORDED int lstat64(const char* path, struct stat64* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  return answered(caller, next<&::lstat64>("lstat64")(path, result), result);
}

ORRERY_RECORDED int fstatat(int from, const char* path, struct stat* result, int flags) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, from, path);
  return answered(caller, next<&::fstatat>("fstatat")(from, path, result, flags), result);
}

ORRERY_RECORDED int fstatat64(int from, const char* path, struct stat64* result,
                              int flags) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, from, path);
  return answered(caller, next<&::fstatat64>("fstatat64")(from, path, result, flags), result);
}

ORRERY_RECORDED int fstat(int file, struct stat* result) noexcept {
  return answered(__builtin_return_address(0), next<&::fstat>("fstat")(file, result), result);
}

ORRERY_RECORDED int fstat64(int file, struct stat64* result) noexcept {
  return answered(__builtin_return_address(0), next<&::fstat64>("fstat64")(file, result), result);
}

ORRERY_RECORDED int statx(int from, const char* path, int flags, unsigned mask,
                          struct statx* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, from, path);
  static constinit NextFunction<int (*)(int, const char*, int, unsigned, struct statx*)> real_one;
  return answered(caller, real_one.by_name("statx")(from, path, flags, mask, result), result);
}

// What programs call that were built with a C library before 2.33.
extern "C" int __xstat(int, const char*, struct stat*) noexcept;
extern "C" int __lxstat(int, const char*, struct stat*) noexcept;
extern "C" int __fxstat(int, int, struct stat*) noexcept;

ORRERY_RECORDED int __xstat(int version, const char* path, struct stat* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  return answered(caller, next<&::__xstat>("__xstat")(version, path, result), result);
}

ORRERY_RECORDED int __lxstat(int version, const char* path, struct stat* result) noexcept {
  const void* const caller = __builtin_return_address(0);
  note(caller, AT_FDCWD, path);
  return answered(caller, next<&::__lxstat>("__lxstat")(version, path, result), result);
}

ORRERY_RECORDED int __fxstat(int version, int file, struct stat* result) noexcept {
  const int error = next<&::__fxstat>("__fxstat")(version, file, result);
  return answered(__builtin_return_address(0), error, result);
}

// --- where they lie -----------------------------------------------------------------------------

ORRERY_RECORDED int statvfs(const char* path, struct statvfs* result) noexcept {
  static constinit NextFunction<int (*)(const char*, struct statvfs*)> real_one;
  return answered(__builtin_return_address(0), real_one.by_name("statvfs")(path, result), result);
}

ORRERY_RECORDED int fstatvfs(int file, struct statvfs* result) noexcept {
  const int error = next<&::fstatvfs>("fstatvfs")(file, result);
  return answered(__builtin_return_address(0), error, result);
}

ORRERY_RECORDED int statfs(const char* path, struct statfs* result) noexcept {
  static constinit NextFunction<int (*)(const char*, struct statfs*)> real_one;
  return answered(__builtin_return_address(0), real_one.by_name("statfs")(path, result), result);
}

ORRERY_RECORDED int fstatfs(int file, struct statfs* result) noexcept {
  return answered(__builtin_return_address(0), next<&::fstatfs>("fstatfs")(file, result), result);
}

static ssize_t read_link(const void* caller, int from, const char* path, char* into,
                         std::size_t bytes) {
  const ssize_t length = next<&::readlinkat>("readlinkat")(from, path, into, bytes);
  if (!input_notes().are_contents_kept()) return length;
  return answered(caller, length, {{into, length < 0 ? 0 : static_cast<std::size_t>(length)}});
}

ORRERY_RECORDED ssize_t readlink(const char* path, char* into, std::size_t bytes) noexcept {
  return read_link(__builtin_return_address(0), AT_FDCWD, path, into, bytes);
}

ORRERY_RECORDED ssize_t readlinkat(int from, const char* path, char* into,
                                   std::size_t bytes) noexcept {
  return read_link(__builtin_return_address(0), from, path, into, bytes);
}

extern "C" ssize_t __readlink_chk(const char*, char*, std::size_t, std::size_t) noexcept;

ORRERY_RECORDED ssize_t __readlink_chk(const char* path, char* into, std::size_t bytes,
                                       std::size_t) noexcept {
  return read_link(__builtin_return_address(0), AT_FDCWD, path, into, bytes);
}

// --- numbers ------------------------------------------------------------------------------------

static int control(const void* caller, int file, int command, void* argument) {
  const int result = next<&::fcntl>("fcntl")(file, command, argument);
  const bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  if (copies && result >= 0 && transfer_order.copied != nullptr)
    transfer_order.copied(file, result);
  if (command != F_GETFL && command != F_GETPIPE_SZ) return result;
  return answered(caller, result);
}

ORRERY_RECORDED int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return control(__builtin_return_address(0), file, command, argument);
}

ORRERY_RECORDED int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return control(__builtin_return_address(0), file, command, argument);
}

// --- devices ------------------------------------------------------------------------------------

ORRERY_RECORDED int isatty(int file) noexcept {
  const int is_one = next<&::isatty>("isatty")(file);
  return answered(__builtin_return_address(0), is_one);
}

ORRERY_RECORDED int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  const int result = next<&::ioctl>("ioctl")(file, request, argument);
  const std::size_t bytes = bytes_given_by(request);
  if (bytes == 0) return result;
  return answered(__builtin_return_address(0), result, {{argument, bytes}});
}
