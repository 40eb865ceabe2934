// Messages after which a process ends: the C library would end ours, by ways of its own.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <err.h>
#include <error.h>

#include "caller.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::exit_rank;
using orrery::host::running;

namespace {

/// What `error` and `error_at_line` write: `program: file:line: text: reason`.
void write_error(const char* file, unsigned line, int number, const char* format,
                 std::va_list arguments) {
  std::fflush(stdout);
  if (error_print_progname != nullptr) {
    error_print_progname();
  } else {
    std::fprintf(stderr, "%s:", program_invocation_name);
  }
  if (file != nullptr) {
    std::fprintf(stderr, "%s:%u: ", file, line);
  } else if (error_print_progname == nullptr) {
    std::fputc(' ', stderr);
  }
  std::vfprintf(stderr, format, arguments);
  ++error_message_count;
  if (number != 0) std::fprintf(stderr, ": %s", std::strerror(number));
  std::fputc('\n', stderr);
  std::fflush(stderr);
}

/// Is the line the one that the last message was about, and one message a line enough?
bool is_said_already(const char* file, unsigned line) {
  auto* const user = running().user;
  if (error_one_per_line == 0 || user == nullptr) return false;
  const char* const last = user->last_error_file;
  const bool is_same_file =
      file == last || (file != nullptr && last != nullptr && std::strcmp(file, last) == 0);
  if (is_same_file && line == user->last_error_line) return true;
  user->last_error_file = file;
  user->last_error_line = line;
  return false;
}

[[noreturn]] void leave(int status, std::uintptr_t program_counter) {
  if (running().user != nullptr) exit_rank(status, program_counter);
  std::exit(status);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_messages;
const char orrery_interposed_messages = 0;

void verr(int status, const char* format, std::va_list arguments) {
  vwarn(format, arguments);
  leave(status, ORRERY_CALLER);
}

void verrx(int status, const char* format, std::va_list arguments) {
  vwarnx(format, arguments);
  leave(status, ORRERY_CALLER);
}

void err(int status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vwarn(format, arguments);
  va_end(arguments);
  leave(status, ORRERY_CALLER);
}

void errx(int status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  vwarnx(format, arguments);
  va_end(arguments);
  leave(status, ORRERY_CALLER);
}

void error(int status, int number, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_error(nullptr, 0, number, format, arguments);
  va_end(arguments);
  if (status != 0) leave(status, ORRERY_CALLER);
}

void error_at_line(int status, int number, const char* file, unsigned line, const char* format,
                   ...) {
  if (!is_said_already(file, line)) {
    std::va_list arguments;
    va_start(arguments, format);
    write_error(file, line, number, format, arguments);
    va_end(arguments);
  }
  if (status != 0) leave(status, ORRERY_CALLER);
}
}
