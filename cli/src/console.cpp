#include "console.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <orrery/replay_core/write_all.hpp>

#include "json_report.hpp"

namespace orrery::cli {
namespace {

/// On one line, whatever a user has put into a name.
std::string in_one_line(std::string text) {
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
  }
  return text;
}

}  // namespace

Paint Paint::for_stream(const Console& console, int fd) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_refused = console.no_color || (refused != nullptr && *refused != '\0');
  const bool is_dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
  return Paint(!is_refused && !is_dumb && isatty(fd) != 0);
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  if (!is_on_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

int print_error(const Console& console, const UsageError& error) {
  if (console.is_json) {
    static_cast<void>(write_all(STDOUT_FILENO, json_text(error_object(error))));
    return status_usage;
  }
  const Paint paint = Paint::for_stream(console, STDERR_FILENO);
  std::string text = "orrery: ";
  if (!error.where().empty()) text += in_one_line(error.where()) + ": ";
  text += paint.red(in_one_line(error.problem())) + "\n";
  if (!error.hint().empty()) text += "hint: " + in_one_line(error.hint()) + "\n";
  print_err(text);
  return status_usage;
}

void print_out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  throw UsageError(std::string("cannot be written: ") + std::strerror(errno), "standard output",
                   "make room, or send it somewhere else");
}

void print_err(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void print_note(const Console& console, std::string_view text) {
  if (!console.is_quiet) print_err(text);
}

}  // namespace orrery::cli
