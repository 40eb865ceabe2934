// Files: what the program finds by their names, noted before it does anything to them.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.hpp"
#include "input_notes.hpp"
#include "made_up_files.hpp"
#include "next_function.hpp"
#include "random_devices.hpp"
#include "recorded_call.hpp"
#include "transfers.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;

constinit TransferOrder orrery::on_hardware::transfer_order{};
constinit bool orrery::on_hardware::keeps_answers = false;

namespace {

Look look_of(int flags) {
  return (flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY ? Look::replaced : Look::content;
}

Look look_of(const char* mode) {
  return mode != nullptr && *mode == 'w' ? Look::replaced : Look::content;
}

void note(const void* caller, int from, const char* path, Look look) {
  if (is_watched(caller)) input_notes().look(from, path, look);
}
void note(const void* caller, const char* path, Look look) {
  note(caller, AT_FDCWD, path, look);
}

bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

/// Around a call that opens a file, at whatever name.
template <typename Call>
int open_noted(const void* caller, int from, const char* path, int flags, Call&& call) {
  if (!is_watched(caller)) return call();
  const bool is_device = is_random_device(path);
  if (!is_device) input_notes().look(from, path, look_of(flags));
  const int file = call();
  mark_random_device(file, is_device);
  if (!is_device) keep_made_up(caller, from, path, flags, file);
  return file;
}

template <typename Call>
std::FILE* open_stream(const void* caller, const char* path, const char* mode, Call&& call) {
  if (!is_watched(caller)) return call();
  const bool is_device = is_random_device(path);
  if (!is_device && path != nullptr) input_notes().look(AT_FDCWD, path, look_of(mode));
  std::FILE* const stream = call();
  if (stream == nullptr) return stream;
  if (!is_device && mode != nullptr && *mode == 'r') {
    const bool is_written = std::strchr(mode, '+') != nullptr;
    keep_made_up(caller, AT_FDCWD, path, is_written ? O_RDWR : O_RDONLY, fileno(stream));
  }
  // The C++ library reads from the descriptor itself.
  const bool is_cxx = program_callers().is_cxx_library(caller);
  mark_random_device(fileno(stream), is_device && is_cxx);
  if (is_device && !is_cxx) keep_random_stream(stream);
  return stream;
}

/// What a descriptor has given.
void note_read(const void* caller, int file, const void* into, ssize_t bytes) {
  if (watching.is_launcher && file == STDIN_FILENO && bytes > 0)
    input_notes().pass_on(into, static_cast<std::size_t>(bytes));
  if (!watching.is_on || (file != STDIN_FILENO && !marks_random_device(file))) return;
  if (!program_callers().is_program(caller)) return;
  if (file == STDIN_FILENO) watching.has_read_standard_input = true;
  if (marks_random_device(file) && bytes > 0 && is_read(caller))
    readings().drew(into, static_cast<std::size_t>(bytes));
}

}  // namespace

// --- opening ------------------------------------------------------------------------------------

ORRERY_RECORDED int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted(__builtin_return_address(0), AT_FDCWD, path, flags,
                    [&] { return next<&::open>("open")(path, flags, mode); });
}

ORRERY_RECORDED int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted(__builtin_return_address(0), AT_FDCWD, path, flags,
                    [&] { return next<&::open64>("open64")(path, flags, mode); });
}

ORRERY_RECORDED int openat(int from, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted(__builtin_return_address(0), from, path, flags,
                    [&] { return next<&::openat>("openat")(from, path, flags, mode); });
}

ORRERY_RECORDED int openat64(int from, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted(__builtin_return_address(0), from, path, flags,
                    [&] { return next<&::openat64>("openat64")(from, path, flags, mode); });
}

// What the headers make of those under _FORTIFY_SOURCE.
extern "C" int __open_2(const char*, int);
extern "C" int __open64_2(const char*, int);

ORRERY_RECORDED int __open_2(const char* path, int flags) {
  return open_noted(__builtin_return_address(0), AT_FDCWD, path, flags,
                    [&] { return next<&::__open_2>("__open_2")(path, flags); });
}

ORRERY_RECORDED int __open64_2(const char* path, int flags) {
  return open_noted(__builtin_return_address(0), AT_FDCWD, path, flags,
                    [&] { return next<&::__open64_2>("__open64_2")(path, flags); });
}

ORRERY_RECORDED int creat(const char* path, mode_t mode) {
  return open_noted(__builtin_return_address(0), AT_FDCWD, path, O_WRONLY | O_TRUNC,
                    [&] { return next<&::creat>("creat")(path, mode); });
}

ORRERY_RECORDED int shm_open(const char* name, int flags, mode_t mode) {
  const std::string path = std::string("/dev/shm/") + (*name == '/' ? name + 1 : name);
  return open_noted(__builtin_return_address(0), AT_FDCWD, path.c_str(), flags,
                    [&] { return next<&::shm_open>("shm_open")(name, flags, mode); });
}

ORRERY_RECORDED std::FILE* fopen(const char* path, const char* mode) {
  return open_stream(__builtin_return_address(0), path, mode,
                     [&] { return next<&::fopen>("fopen")(path, mode); });
}

ORRERY_RECORDED std::FILE* fopen64(const char* path, const char* mode) {
  return open_stream(__builtin_return_address(0), path, mode,
                     [&] { return next<&::fopen64>("fopen64")(path, mode); });
}

ORRERY_RECORDED std::FILE* freopen(const char* path, const char* mode, std::FILE* stream) {
  return open_stream(__builtin_return_address(0), path, mode,
                     [&] { return next<&::freopen>("freopen")(path, mode, stream); });
}

ORRERY_RECORDED std::FILE* freopen64(const char* path, const char* mode, std::FILE* stream) {
  return open_stream(__builtin_return_address(0), path, mode,
                     [&] { return next<&::freopen64>("freopen64")(path, mode, stream); });
}

// --- reading ------------------------------------------------------------------------------------

ORRERY_RECORDED ssize_t read(int file, void* into, std::size_t bytes) {
  const ssize_t result = transferred({file, true, bytes, false, into},
                                     [&] { return next<&::read>("read")(file, into, bytes); });
  note_read(__builtin_return_address(0), file, into, result);
  return result;
}

extern "C" ssize_t __read_chk(int, void*, std::size_t, std::size_t);

ORRERY_RECORDED ssize_t __read_chk(int file, void* into, std::size_t bytes, std::size_t room) {
  const ssize_t result = transferred({file, true, bytes, false, into}, [&] {
    return next<&::__read_chk>("__read_chk")(file, into, bytes, room);
  });
  note_read(__builtin_return_address(0), file, into, result);
  return result;
}

// --- looking ------------------------------------------------------------------------------------

ORRERY_RECORDED int access(const char* path, int mode) noexcept {
  note(__builtin_return_address(0), path, Look::status);
  return next<&::access>("access")(path, mode);
}

ORRERY_RECORDED int faccessat(int from, const char* path, int mode, int flags) noexcept {
  note(__builtin_return_address(0), from, path, Look::status);
  return next<&::faccessat>("faccessat")(from, path, mode, flags);
}

ORRERY_RECORDED int chdir(const char* path) noexcept {
  note(__builtin_return_address(0), path, Look::status);
  return next<&::chdir>("chdir")(path);
}

// --- changes ------------------------------------------------------------------------------------

ORRERY_RECORDED int unlink(const char* path) noexcept {
  note(__builtin_return_address(0), path, Look::replaced);
  return next<&::unlink>("unlink")(path);
}

ORRERY_RECORDED int unlinkat(int from, const char* path, int flags) noexcept {
  note(__builtin_return_address(0), from, path, Look::replaced);
  return next<&::unlinkat>("unlinkat")(from, path, flags);
}

ORRERY_RECORDED int remove(const char* path) noexcept {
  note(__builtin_return_address(0), path, Look::replaced);
  return next<static_cast<int (*)(const char*)>(&::remove)>("remove")(path);
}

ORRERY_RECORDED int rename(const char* from, const char* to) noexcept {
  note(__builtin_return_address(0), from, Look::content);
  note(__builtin_return_address(0), to, Look::replaced);
  return next<&::rename>("rename")(from, to);
}

ORRERY_RECORDED int link(const char* from, const char* to) noexcept {
  note(__builtin_return_address(0), from, Look::content);
  note(__builtin_return_address(0), to, Look::replaced);
  return next<&::link>("link")(from, to);
}

static int make_link(const void* caller, const char* target, int from, const char* path) {
  note(caller, from, path, Look::replaced);
  if (is_watched(caller)) input_notes().follow_links();
  return answered(caller, next<&::symlinkat>("symlinkat")(target, from, path));
}

ORRERY_RECORDED int symlink(const char* target, const char* path) noexcept {
  return make_link(__builtin_return_address(0), target, AT_FDCWD, path);
}

ORRERY_RECORDED int symlinkat(const char* target, int from, const char* path) noexcept {
  return make_link(__builtin_return_address(0), target, from, path);
}

ORRERY_RECORDED int mkdir(const char* path, mode_t mode) noexcept {
  note(__builtin_return_address(0), path, Look::replaced);
  return next<&::mkdir>("mkdir")(path, mode);
}

ORRERY_RECORDED int rmdir(const char* path) noexcept {
  note(__builtin_return_address(0), path, Look::content);
  return next<&::rmdir>("rmdir")(path);
}

ORRERY_RECORDED int truncate(const char* path, off_t bytes) noexcept {
  note(__builtin_return_address(0), path, Look::content);
  return next<&::truncate>("truncate")(path, bytes);
}
