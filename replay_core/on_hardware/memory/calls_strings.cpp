// Functions of the C library whose result their caller frees: in simulation that is the program's
// memory, so it is here (`interposed_strings.cpp`).
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "next_function.hpp"
#include "program_arenas.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

namespace {

// As the C library begins with.
constexpr std::size_t first_line_bytes = 120;

/// What our `malloc` gives to that caller; null: it is not the program, or its arena is full.
char* new_text(std::size_t bytes, const void* caller) {
  auto* const arena = arena_for(caller);
  if (arena == nullptr) return nullptr;
  return static_cast<char*>(handed_out_of_arena(arena->allocate(bytes)));
}

char* copy_of(const char* text, std::size_t bytes, const void* caller) {
  char* const copy = new_text(bytes + 1, caller);
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

int print_to_new(char** result, const char* format, va_list arguments, const void* caller) {
  va_list again;
  va_copy(again, arguments);
  const int bytes = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  char* const text = bytes < 0 ? nullptr : new_text(static_cast<std::size_t>(bytes) + 1, caller);
  if (text == nullptr) return next<&::vasprintf>("vasprintf")(result, format, arguments);
  std::vsnprintf(text, static_cast<std::size_t>(bytes) + 1, format, arguments);
  *result = text;
  return bytes;
}

ssize_t read_line(char** line, std::size_t* bytes, int delimiter, std::FILE* stream,
                  const void* caller) {
  if (line != nullptr && bytes != nullptr && *line == nullptr) {
    // When it is too small the library asks for a larger one, which is the arena's as well.
    char* const first = new_text(first_line_bytes, caller);
    if (first != nullptr) {
      *line = first;
      *bytes = first_line_bytes;
    }
  }
  return next<&::getdelim>("getdelim")(line, bytes, delimiter, stream);
}

/// What the library has just given away, as the program's.
char* passed_on(char* theirs, const void* caller) {
  char* const copy = theirs != nullptr ? copy_of(theirs, std::strlen(theirs), caller) : nullptr;
  if (copy == nullptr) return theirs;
  next<&::free>("free")(theirs);
  return copy;
}

char* real_path(const char* path, char* resolved, const void* caller) {
  char* const found = next<&::realpath>("realpath")(path, resolved);
  return resolved != nullptr ? found : passed_on(found, caller);
}

char* directory(char* into, std::size_t bytes, const void* caller) {
  char* const found = next<&::getcwd>("getcwd")(into, bytes);
  return into != nullptr ? found : passed_on(found, caller);
}

}  // namespace

ORRERY_RECORDED char* strdup(const char* text) noexcept {
  char* const copy = copy_of(text, std::strlen(text), __builtin_return_address(0));
  return copy != nullptr ? copy : next<&::strdup>("strdup")(text);
}

ORRERY_RECORDED char* strndup(const char* text, std::size_t most) noexcept {
  char* const copy = copy_of(text, strnlen(text, most), __builtin_return_address(0));
  return copy != nullptr ? copy : next<&::strndup>("strndup")(text, most);
}

ORRERY_RECORDED int vasprintf(char** result, const char* format, va_list arguments) noexcept {
  return print_to_new(result, format, arguments, __builtin_return_address(0));
}

ORRERY_RECORDED int asprintf(char** result, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = print_to_new(result, format, arguments, __builtin_return_address(0));
  va_end(arguments);
  return bytes;
}

ORRERY_RECORDED int __vasprintf_chk(char** result, int, const char* format,
                                    va_list arguments) noexcept {
  return print_to_new(result, format, arguments, __builtin_return_address(0));
}

ORRERY_RECORDED int __asprintf_chk(char** result, int, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int bytes = print_to_new(result, format, arguments, __builtin_return_address(0));
  va_end(arguments);
  return bytes;
}

ORRERY_RECORDED ssize_t getdelim(char** line, std::size_t* bytes, int delimiter,
                                 std::FILE* stream) {
  return read_line(line, bytes, delimiter, stream, __builtin_return_address(0));
}

ORRERY_RECORDED ssize_t __getdelim(char** line, std::size_t* bytes, int delimiter,
                                   std::FILE* stream) {
  return read_line(line, bytes, delimiter, stream, __builtin_return_address(0));
}

// Under another name: the header's is defined there, too.
ORRERY_RECORDED ssize_t orrery_recorded_getline(char** line, std::size_t* bytes,
                                                std::FILE* stream) __asm__("getline");
ORRERY_RECORDED ssize_t orrery_recorded_getline(char** line, std::size_t* bytes,
                                                std::FILE* stream) {
  return read_line(line, bytes, '\n', stream, __builtin_return_address(0));
}

ORRERY_RECORDED char* realpath(const char* path, char* resolved) noexcept {
  return real_path(path, resolved, __builtin_return_address(0));
}

ORRERY_RECORDED char* __realpath_chk(const char* path, char* resolved, std::size_t) noexcept {
  return real_path(path, resolved, __builtin_return_address(0));
}

ORRERY_RECORDED char* getcwd(char* into, std::size_t bytes) noexcept {
  return directory(into, bytes, __builtin_return_address(0));
}

ORRERY_RECORDED char* __getcwd_chk(char* into, std::size_t bytes, std::size_t) noexcept {
  return directory(into, bytes, __builtin_return_address(0));
}

ORRERY_RECORDED char* get_current_dir_name() noexcept {
  return passed_on(next<&::get_current_dir_name>("get_current_dir_name")(),
                   __builtin_return_address(0));
}
