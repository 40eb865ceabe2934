// What is read from files into the program's memory, printed into it, and written from it.
//
// Functions that the host takes the place of are left by a jump, so that it still sees who has
// called: of `read` the whole buffer counts therefore, before it is known how much comes.
#include <cstdarg>
#include <cstdio>

#include <sys/types.h>
#include <sys/uio.h>

#include "wrapped.hpp"

using orrery::hooks::come_one_by_one;
using orrery::hooks::is_attached;
using orrery::hooks::kept_bytes;
using orrery::hooks::reads;
using orrery::hooks::writes;
using std::FILE;
using std::size_t;

namespace orrery::hooks {
namespace {

extern "C" {
size_t plain_strlen(const char*) __asm__("__real_strlen");
void* plain_memcpy(void*, const void*, size_t) __asm__("__real_memcpy");
int plain_vsnprintf(char*, size_t, const char*, va_list) __asm__("__real_vsnprintf");
}

void reads_text(const char* text, std::uintptr_t caller) {
  if (is_attached()) reads(text, plain_strlen(text) + 1, caller);
}

/// So many letters and a zero, as far as there is room.
void printed(char* to, int letters, size_t room, std::uintptr_t caller) {
  if (letters < 0 || room == 0) return;
  const size_t bytes = static_cast<size_t>(letters) + 1;
  writes(to, bytes < room ? bytes : room, caller);
}

/// Where others may have a turn: tells of what is printed before it is there.  False: nothing is
/// done, it may be more than is kept.  `size`: so much must be enough.
bool prints(char* to, size_t room, size_t size, const char* format, va_list arguments,
            std::uintptr_t caller, int& letters) {
  if (!come_one_by_one()) return false;
  char text[kept_bytes];
  va_list again;
  va_copy(again, arguments);
  letters = plain_vsnprintf(text, sizeof text, format, again);
  va_end(again);
  if (letters < 0 || static_cast<size_t>(letters) >= sizeof text) return false;
  const size_t whole = static_cast<size_t>(letters) + 1;
  const size_t bytes = whole < room ? whole : room;
  if (bytes > size || (room != SIZE_MAX && room > size)) return false;
  if (bytes == 0) return true;
  text[bytes - 1] = '\0';
  writes(to, bytes, caller);
  plain_memcpy(to, text, bytes);
  return true;
}

/// As `real()` does it.
template <typename Real>
int print(char* to, size_t room, size_t size, const char* format, va_list arguments,
          std::uintptr_t caller, const Real& real) {
  int letters = 0;
  if (prints(to, room, size, format, arguments, caller, letters)) return letters;
  letters = real();
  printed(to, letters, room, caller);
  return letters;
}

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_WRAP(ssize_t, read, (int file, void* to, size_t bytes)) {
  writes(to, bytes, ORRERY_CALLER);
  return real_read(file, to, bytes);
}

ORRERY_WRAP(ssize_t, __read_chk, (int file, void* to, size_t bytes, size_t room)) {
  writes(to, bytes, ORRERY_CALLER);
  return real___read_chk(file, to, bytes, room);
}

ORRERY_WRAP(ssize_t, pread, (int file, void* to, size_t bytes, off_t offset)) {
  writes(to, bytes, ORRERY_CALLER);
  return real_pread(file, to, bytes, offset);
}

ORRERY_WRAP(ssize_t, pread64, (int file, void* to, size_t bytes, off_t offset)) {
  writes(to, bytes, ORRERY_CALLER);
  return real_pread64(file, to, bytes, offset);
}

ORRERY_WRAP(ssize_t, recv, (int file, void* to, size_t bytes, int flags)) {
  writes(to, bytes, ORRERY_CALLER);
  return real_recv(file, to, bytes, flags);
}

ORRERY_WRAP(ssize_t, write, (int file, const void* from, size_t bytes)) {
  reads(from, bytes, ORRERY_CALLER);
  return real_write(file, from, bytes);
}

ORRERY_WRAP(ssize_t, pwrite, (int file, const void* from, size_t bytes, off_t offset)) {
  reads(from, bytes, ORRERY_CALLER);
  return real_pwrite(file, from, bytes, offset);
}

ORRERY_WRAP(ssize_t, pwrite64, (int file, const void* from, size_t bytes, off_t offset)) {
  reads(from, bytes, ORRERY_CALLER);
  return real_pwrite64(file, from, bytes, offset);
}

ORRERY_WRAP(ssize_t, send, (int file, const void* from, size_t bytes, int flags)) {
  reads(from, bytes, ORRERY_CALLER);
  return real_send(file, from, bytes, flags);
}

ORRERY_WRAP(ssize_t, readv, (int file, const iovec* parts, int count)) {
  for (int i = 0; i < count; ++i) writes(parts[i].iov_base, parts[i].iov_len, ORRERY_CALLER);
  return real_readv(file, parts, count);
}

ORRERY_WRAP(ssize_t, writev, (int file, const iovec* parts, int count)) {
  for (int i = 0; i < count; ++i) reads(parts[i].iov_base, parts[i].iov_len, ORRERY_CALLER);
  return real_writev(file, parts, count);
}

ORRERY_WRAP(size_t, fread, (void* to, size_t bytes, size_t count, FILE* stream)) {
  const size_t done = real_fread(to, bytes, count, stream);
  writes(to, done * bytes, ORRERY_CALLER);
  return done;
}

ORRERY_WRAP(size_t, __fread_chk,
            (void* to, size_t room, size_t bytes, size_t count, FILE* stream)) {
  const size_t done = real___fread_chk(to, room, bytes, count, stream);
  writes(to, done * bytes, ORRERY_CALLER);
  return done;
}

ORRERY_WRAP(char*, fgets, (char* to, int room, FILE* stream)) {
  char* const line = real_fgets(to, room, stream);
  if (line != nullptr && is_attached()) writes(to, plain_strlen(to) + 1, ORRERY_CALLER);
  return line;
}

ORRERY_WRAP(char*, __fgets_chk, (char* to, size_t size, int room, FILE* stream)) {
  char* const line = real___fgets_chk(to, size, room, stream);
  if (line != nullptr && is_attached()) writes(to, plain_strlen(to) + 1, ORRERY_CALLER);
  return line;
}

ORRERY_WRAP(ssize_t, getline, (char** line, size_t* room, FILE* stream)) {
  const ssize_t letters = real_getline(line, room, stream);
  if (letters >= 0) writes(*line, static_cast<size_t>(letters) + 1, ORRERY_CALLER);
  return letters;
}

ORRERY_WRAP(size_t, fwrite, (const void* from, size_t bytes, size_t count, FILE* stream)) {
  reads(from, bytes * count, ORRERY_CALLER);
  return real_fwrite(from, bytes, count, stream);
}

ORRERY_WRAP(int, fputs, (const char* text, FILE* stream)) {
  reads_text(text, ORRERY_CALLER);
  return real_fputs(text, stream);
}

ORRERY_WRAP(int, puts, (const char* text)) {
  reads_text(text, ORRERY_CALLER);
  return real_puts(text);
}

ORRERY_WRAP(int, vsnprintf, (char* to, size_t room, const char* format, va_list arguments)) {
  return print(to, room, SIZE_MAX, format, arguments, ORRERY_CALLER,
               [&] { return real_vsnprintf(to, room, format, arguments); });
}

ORRERY_WRAP(int, vsprintf, (char* to, const char* format, va_list arguments)) {
  return print(to, SIZE_MAX, SIZE_MAX, format, arguments, ORRERY_CALLER,
               [&] { return real_vsprintf(to, format, arguments); });
}

ORRERY_WRAP(int, __vsnprintf_chk,
            (char* to, size_t room, int flag, size_t size, const char* format, va_list arguments)) {
  return print(to, room, size, format, arguments, ORRERY_CALLER,
               [&] { return real___vsnprintf_chk(to, room, flag, size, format, arguments); });
}

ORRERY_WRAP(int, __vsprintf_chk,
            (char* to, int flag, size_t size, const char* format, va_list arguments)) {
  return print(to, SIZE_MAX, size, format, arguments, ORRERY_CALLER,
               [&] { return real___vsprintf_chk(to, flag, size, format, arguments); });
}

ORRERY_HOOK(int, "__wrap_snprintf", wrap_snprintf,
            (char* to, size_t room, const char* format, ...)) {
  va_list arguments;
  va_start(arguments, format);
  const int letters = print(to, room, SIZE_MAX, format, arguments, ORRERY_CALLER,
                            [&] { return real_vsnprintf(to, room, format, arguments); });
  va_end(arguments);
  return letters;
}

ORRERY_HOOK(int, "__wrap_sprintf", wrap_sprintf, (char* to, const char* format, ...)) {
  va_list arguments;
  va_start(arguments, format);
  const int letters = print(to, SIZE_MAX, SIZE_MAX, format, arguments, ORRERY_CALLER,
                            [&] { return real_vsprintf(to, format, arguments); });
  va_end(arguments);
  return letters;
}

ORRERY_HOOK(int, "__wrap___snprintf_chk", wrap_snprintf_chk,
            (char* to, size_t room, int flag, size_t size, const char* format, ...)) {
  va_list arguments;
  va_start(arguments, format);
  const int letters = print(to, room, size, format, arguments, ORRERY_CALLER, [&] {
    return real___vsnprintf_chk(to, room, flag, size, format, arguments);
  });
  va_end(arguments);
  return letters;
}

ORRERY_HOOK(int, "__wrap___sprintf_chk", wrap_sprintf_chk,
            (char* to, int flag, size_t size, const char* format, ...)) {
  va_list arguments;
  va_start(arguments, format);
  const int letters = print(to, SIZE_MAX, size, format, arguments, ORRERY_CALLER,
                            [&] { return real___vsprintf_chk(to, flag, size, format, arguments); });
  va_end(arguments);
  return letters;
}
