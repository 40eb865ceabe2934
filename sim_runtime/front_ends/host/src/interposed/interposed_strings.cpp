// Functions of the C library whose result their caller frees: in a program it is the program's
// memory, at the same address in every run.  (What the library allocates for itself is its own.)
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <linux/limits.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/user_files.hpp"
#include "memory/given_blocks.hpp"
#include "memory/program_memory.hpp"
#include "ranks/next_function.hpp"

using orrery::host::asks_user_heap;
using orrery::host::FilesCall;
using orrery::host::filled_block;
using orrery::host::given;
using orrery::host::next_function;
using orrery::host::original;
using orrery::host::running;

namespace {

// As the C library begins with.
constexpr std::size_t first_line_bytes = 120;

char* new_text(std::size_t bytes) {
  return static_cast<char*>(given(filled_block(bytes, bytes)));
}

char* copy_of(const char* text, std::size_t bytes) {
  char* const copy = new_text(bytes + 1);
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
  char* const text = new_text(static_cast<std::size_t>(bytes) + 1);
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
    *line = new_text(first_line_bytes);
    *bytes = *line == nullptr ? 0 : first_line_bytes;
  }
  static const auto next = next_function<GetDelimited>("getdelim");
  return next(line, bytes, delimiter, stream);
}

/// Into `into`, which has room for so many bytes, or into new memory of the program; null with
/// `errno`.
char* give_path(const std::string& path, char* into, std::size_t bytes) {
  if (path.empty()) return nullptr;
  if (into == nullptr) return copy_of(path.c_str(), path.size());
  if (bytes <= path.size()) {
    errno = ERANGE;
    return nullptr;
  }
  std::memcpy(into, path.c_str(), path.size() + 1);
  return into;
}

/// Empty with `errno`: there is no such path.
std::string real_path(const char* path) {
  const FilesCall call;
  struct stat found {};
  std::string whole = call.files().absolute(AT_FDCWD, path);
  if (whole.empty() || call.files().status(whole, found) != 0) return {};
  return whole;
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
  if (running().user == nullptr) return original<&realpath>("realpath")(path, resolved);
  const std::string whole = real_path(path);
  return give_path(whole, resolved, PATH_MAX);
}

char* getcwd(char* into, std::size_t bytes) noexcept {
  if (running().user == nullptr) return original<&getcwd>("getcwd")(into, bytes);
  const std::string directory = FilesCall().own().directory;
  return give_path(directory, into, bytes);
}

char* __realpath_chk(const char* path, char* resolved, std::size_t) noexcept {
  return realpath(path, resolved);
}

char* __getcwd_chk(char* into, std::size_t bytes, std::size_t) noexcept {
  return getcwd(into, bytes);
}

char* get_current_dir_name() noexcept {
  if (running().user != nullptr) return getcwd(nullptr, 0);
  return next_function<char* (*)()>("get_current_dir_name")();
}
}
