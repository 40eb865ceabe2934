// The system's calls, past the functions that we define for programs.
#pragma once

#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "ranks/next_function.hpp"

namespace orrery::host::system_calls {

/// The C library's `syscall`, also while a program's code runs.
template <typename... Arguments>
long bare(long number, Arguments... arguments) {
  return original<&::syscall>("syscall")(number, arguments...);
}

inline int open(const std::string& path, int flags, mode_t mode = 0) {
  return static_cast<int>(bare(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, mode));
}
inline int close(int file) {
  return static_cast<int>(bare(SYS_close, file));
}
inline ssize_t read(int file, void* into, std::size_t bytes) {
  return bare(SYS_read, file, into, bytes);
}
inline ssize_t write(int file, const void* from, std::size_t bytes) {
  return bare(SYS_write, file, from, bytes);
}
inline ssize_t pread(int file, void* into, std::size_t bytes, off_t offset) {
  return bare(SYS_pread64, file, into, bytes, offset);
}
inline ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t offset) {
  return bare(SYS_pwrite64, file, from, bytes, offset);
}
inline off_t lseek(int file, off_t offset, int from) {
  return bare(SYS_lseek, file, offset, from);
}
inline int ftruncate(int file, off_t bytes) {
  return static_cast<int>(bare(SYS_ftruncate, file, bytes));
}
// The layouts of the kernel's and the C library's `struct stat` are one on 64-bit systems.
inline int fstat(int file, struct stat& result) {
  return static_cast<int>(bare(SYS_newfstatat, file, "", &result, AT_EMPTY_PATH));
}
inline int stat(const std::string& path, struct stat& result, int flags = 0) {
  return static_cast<int>(bare(SYS_newfstatat, AT_FDCWD, path.c_str(), &result, flags));
}
inline int access(const std::string& path, int mode) {
  return static_cast<int>(bare(SYS_faccessat, AT_FDCWD, path.c_str(), mode));
}
inline int unlink(const std::string& path) {
  return static_cast<int>(bare(SYS_unlinkat, AT_FDCWD, path.c_str(), 0));
}
inline int duplicate(int file) {
  return static_cast<int>(bare(SYS_fcntl, file, F_DUPFD_CLOEXEC, 0));
}
inline int memory_file(const char* name) {
  constexpr unsigned close_on_exec = 1;  // MFD_CLOEXEC
  return static_cast<int>(bare(SYS_memfd_create, name, close_on_exec));
}

}  // namespace orrery::host::system_calls
