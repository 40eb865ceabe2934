// Streams of the C library: it opens files by itself, so that a program's streams are made here.
#include <cerrno>
#include <cstdio>

#include <stdio_ext.h>

#include "files/stream_files.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::FilesCall;
using orrery::host::flags_of_mode;
using orrery::host::is_host;
using orrery::host::open_stream;
using orrery::host::original;
using orrery::host::running;

namespace {

constexpr mode_t new_file_mode = 0666;

/// Opens `path` and gives it a stream.
std::FILE* open_path(const FilesCall& call, const char* path, const char* mode) {
  const int flags = flags_of_mode(mode);
  if (flags < 0) return nullptr;
  const std::string whole = call.files().absolute(AT_FDCWD, path);
  auto file = whole.empty() ? nullptr : call.files().open(whole, flags, new_file_mode);
  if (file == nullptr) return nullptr;
  const int number = call.own().add(std::move(file), (flags & O_CLOEXEC) != 0);
  return number < 0 ? nullptr : open_stream(call.own(), number, mode);
}

/// The descriptor of a program's stream; -1: it has none.
int number_of(std::FILE* stream) {
  if (stream == stdout) return STDOUT_FILENO;
  if (stream == stderr) return STDERR_FILENO;
  const auto& streams = orrery::host::user_files().of(running().user->rank()).streams;
  const auto found = streams.find(stream);
  return found == streams.end() ? -1 : found->second;
}

// The GNU C library's marks in `FILE::_flags`, which are part of its binary interface.
void set_direction(std::FILE* stream, int flags) {
  constexpr int no_reads = 0x0004;
  constexpr int no_writes = 0x0008;
  constexpr int at_end_or_failed = 0x0010 | 0x0020;
  stream->_flags &= ~(no_reads | no_writes | at_end_or_failed);
  if ((flags & O_ACCMODE) == O_WRONLY) stream->_flags |= no_reads;
  if ((flags & O_ACCMODE) == O_RDONLY) stream->_flags |= no_writes;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_streams;
const char orrery_interposed_streams = 0;

std::FILE* fopen(const char* path, const char* mode) {
  if (is_host()) return original<&fopen>("fopen")(path, mode);
  const FilesCall call;
  return open_path(call, path, mode);
}

std::FILE* fdopen(int number, const char* mode) noexcept {
  if (is_host()) return original<&fdopen>("fdopen")(number, mode);
  if (orrery::host::open_file(number) == nullptr) return nullptr;
  const FilesCall call;
  return open_stream(call.own(), number, mode);
}

// The stream stays the same one, and so does its descriptor: what that leads to is exchanged.
std::FILE* freopen(const char* path, const char* mode, std::FILE* stream) {
  if (is_host()) return original<&freopen>("freopen")(path, mode, stream);
  std::fflush(stream);
  const int flags = flags_of_mode(mode);
  const int number = number_of(stream);
  if (flags < 0 || number < 0) return nullptr;
  __fpurge(stream);
  if (path != nullptr) {
    const FilesCall call;
    const std::string whole = call.files().absolute(AT_FDCWD, path);
    auto file = whole.empty() ? nullptr : call.files().open(whole, flags, new_file_mode);
    if (file == nullptr) return nullptr;
    call.own().put(number, {std::move(file)});
  }
  set_direction(stream, flags);
  return stream;
}

std::FILE* tmpfile() {
  if (is_host()) return original<&tmpfile>("tmpfile")();
  const FilesCall call;
  auto file = call.files().open_nameless(O_RDWR);
  const int number = file == nullptr ? -1 : call.own().add(std::move(file), false);
  return number < 0 ? nullptr : open_stream(call.own(), number, "w+");
}

int fclose(std::FILE* stream) {
  if (!is_host()) {
    const bool stays = stream == stdout || stream == stderr;
    const int result = stays ? std::fflush(stream) : 0;
    const FilesCall call;
    call.own().streams.erase(stream);
    if (stays) {
      // The C library has them for ever: whoever writes to one afterwards is told that it failed.
      set_direction(stream, O_RDONLY);
      call.own().put(stream == stdout ? STDOUT_FILENO : STDERR_FILENO, {});
      return result;
    }
  }
  static const auto next = original<&fclose>("fclose");
  return next(stream);
}

int fileno(std::FILE* stream) noexcept {
  if (is_host()) return original<&fileno>("fileno")(stream);
  const int number = number_of(stream);
  if (number < 0) errno = EBADF;
  return number;
}

int fileno_unlocked(std::FILE* stream) noexcept {
  return fileno(stream);
}
}

asm(R"(
.globl fopen64, freopen64, tmpfile64
.set fopen64, fopen
.set freopen64, freopen
.set tmpfile64, tmpfile
)");
