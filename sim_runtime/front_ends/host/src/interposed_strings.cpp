// Functions of the C library whose result their caller frees: in a program it is the program's
// memory, at the same address in every run.  (What the library allocates for itself is its own.)
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <linux/limits.h>
#include <unistd.h>

#include "next_function.hpp"
#include "program_memory.hpp"

using orrery::host::asks_user_heap;
using orrery::host::next_function;
using orrery::host::user_heap;

#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

// As the C library begins with.
constexpr std::size_t first_line_bytes = 120;

char* copy_of(const char* text, std::size_t bytes) {
  char* const copy = static_cast<char*>(user_heap.allocate(bytes + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

int print_to_new(char** result, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int bytes = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (bytes < 0) return -1;
  char* const text = static_cast<char*>(user_heap.allocate(static_cast<std::size_t>(bytes) + 1));
  if (text == nullptr) return -1;
  std::vsnprintf(text, static_cast<std::size_t>(bytes) + 1, format, arguments);
  *result = text;
  return bytes;
}

using PrintToNew = int (*)(char**, const char*, va_list);

int print(char** result, const char* format, va_list arguments, std::uintptr_t caller) {
  if (asks_user_heap(caller)) return print_to_new(result, format, arguments);
  static const auto next = next_function<PrintToNew>("vasprintf");
  return next(result, format, arguments);
}

using GetDelimited = ssize_t (*)(char**, std::size_t*, int, std::FILE*);

ssize_t read_line(char** line, std::size_t* bytes, int delimiter, std::FILE* stream,
                  std::uintptr_t caller) {
  if (asks_user_heap(caller) && line != nullptr && bytes != nullptr && *line == nullptr) {
    // When it is too small the library asks for a larger one, which is the program's as well.
    *line = static_cast<char*>(user_heap.allocate(first_line_bytes));
    *bytes = *line == nullptr ? 0 : first_line_bytes;
  }
  static const auto next = next_function<GetDelimited>("getdelim");
  return next(line, bytes, delimiter, stream);
}

/// A path that `fill` writes, in as much memory as it needs.
template <typename Fill>
char* path_in_new(const Fill& fill) {
  char path[PATH_MAX];
  if (fill(path) == nullptr) return nullptr;
  return copy_of(path, std::strlen(path));
}

}  // namespace

extern "C" {

extern const char orrery_interposed_strings;
const char orrery_interposed_strings = 0;

char* strdup(const char* text) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) return copy_of(text, std::strlen(text));
  static const auto next = next_function<char* (*)(const char*)>("strdup");
  return next(text);
}

char* strndup(const char* text, std::size_t most) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) return copy_of(text, strnlen(text, most));
  static const auto next = next_function<char* (*)(const char*, std::size_t)>("strndup");
  return next(text, most);
}

int vasprintf(char** result, const char* format, va_list arguments) noexcept {
  return print(result, format, arguments, ORRERY_CALLER);
}

int asprintf(char** result, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = print(result, format, arguments, ORRERY_CALLER);
  va_end(arguments);
  return bytes;
}

int __vasprintf_chk(char** result, int, const char* format, va_list arguments) noexcept {
  return print(result, format, arguments, ORRERY_CALLER);
}

int __asprintf_chk(char** result, int, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = print(result, format, arguments, ORRERY_CALLER);
  va_end(arguments);
  return bytes;
}

ssize_t getdelim(char** line, std::size_t* bytes, int delimiter, std::FILE* stream) {
  return read_line(line, bytes, delimiter, stream, ORRERY_CALLER);
}

ssize_t __getdelim(char** line, std::size_t* bytes, int delimiter, std::FILE* stream) {
  return read_line(line, bytes, delimiter, stream, ORRERY_CALLER);
}

// Under another name: the header's is defined there, too.
ssize_t orrery_getline(char** line, std::size_t* bytes, std::FILE* stream) __asm__("getline");
ssize_t orrery_getline(char** line, std::size_t* bytes, std::FILE* stream) {
  return read_line(line, bytes, '\n', stream, ORRERY_CALLER);
}

char* realpath(const char* path, char* resolved) noexcept {
  using Function = char* (*)(const char*, char*);
  static const auto next = next_function<Function>("realpath");
  if (resolved != nullptr || !asks_user_heap(ORRERY_CALLER)) return next(path, resolved);
  return path_in_new([path](char* into) { return next(path, into); });
}

char* getcwd(char* into, std::size_t bytes) noexcept {
  using Function = char* (*)(char*, std::size_t);
  static const auto next = next_function<Function>("getcwd");
  if (into != nullptr || !asks_user_heap(ORRERY_CALLER)) return next(into, bytes);
  return path_in_new([](char* path) { return next(path, PATH_MAX); });
}

char* get_current_dir_name() noexcept {
  if (asks_user_heap(ORRERY_CALLER)) return getcwd(nullptr, 0);
  return next_function<char* (*)()>("get_current_dir_name")();
}
}
