#include "whole_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 32U;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& path, int error) {
  const bool is_there = error != ENOENT && error != ENOTDIR;
  throw UsageError("the file cannot be read: " + std::generic_category().message(error), path,
                   is_there ? "see to it that you may read it" : "is the path right?");
}

}  // namespace

std::vector<std::byte> read_whole_file(const std::string& path) {
  // A FIFO that nobody writes to would hold us up in `open`.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) {
    throw UsageError("this is a directory", path, "give the path of a log that lies in it");
  }
  if (!S_ISREG(status.st_mode)) {
    throw UsageError("this is not a regular file", path, "give the path of a log");
  }
  const OpenFile file(path);
  if (file.number() < 0) fail(path, errno);
  if (static_cast<std::uint64_t>(status.st_size) > file_bytes_max) {
    throw UsageError("the file is too large for a log (over 4 GiB)", path,
                     "give the path of a log: this is another file");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace orrery::detail
