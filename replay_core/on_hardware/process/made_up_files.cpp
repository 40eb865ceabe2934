#include "made_up_files.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answers.hpp"
#include "input_notes.hpp"

namespace orrery::on_hardware {
namespace {

constexpr std::size_t bytes_max = std::size_t{1} << 20U;

bool is_made_up(const std::string& path) {
  const auto begins_with = [&path](const char* begin) { return path.rfind(begin, 0) == 0; };
  return (begins_with("/proc/") || begins_with("/sys/")) && !begins_with("/proc/self/fd/");
}

/// Nothing: it cannot be read, or is very long.
std::optional<std::string> text_of(int file) {
  std::string text;
  std::array<char, 65536> part{};
  while (text.size() < bytes_max) {
    const ssize_t bytes = syscall(SYS_pread64, file, part.data(), part.size(), text.size());
    if (bytes < 0) return std::nullopt;
    if (bytes == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return std::nullopt;
}

/// From now on the descriptor leads to that text.
bool put(const std::string& text, int file, int flags) {
  const auto copy = static_cast<int>(syscall(SYS_memfd_create, "made up", MFD_CLOEXEC));
  if (copy < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t bytes = syscall(SYS_write, copy, text.data() + done, text.size() - done);
    if (bytes <= 0) break;
    done += static_cast<std::size_t>(bytes);
  }
  const bool is_whole = done == text.size() && syscall(SYS_lseek, copy, 0, SEEK_SET) == 0 &&
                        syscall(SYS_dup3, copy, file, flags & O_CLOEXEC) == file;
  syscall(SYS_close, copy);
  return is_whole;
}

}  // namespace

void keep_made_up(const void* caller, int from, const char* path, int flags, int file) {
  if (file < 0 || !keeps_answers || (flags & O_ACCMODE) != O_RDONLY) return;
  if (!input_notes().are_contents_kept() || !is_made_up(input_notes().whole_path(from, path)))
    return;
  struct stat status {};
  if (syscall(SYS_fstat, file, &status) != 0 || !S_ISREG(status.st_mode) || !is_read(caller))
    return;
  const int error = errno;
  const std::optional<std::string> text = text_of(file);
  if (text && put(*text, file, flags)) {
    keep_answer(static_cast<long>(text->size()), {{text->data(), text->size()}});
  } else {
    keep_answer(-1, {});
  }
  errno = error;
}

}  // namespace orrery::on_hardware
