#include "files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

namespace orrery::detail {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void refuse(const std::string& what, const std::string& path, int error) {
  throw UsageError(what + ": " + std::strerror(error), path,
                   "is there room, and may you read and write there?");
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes) {
  check_can_be_replaced(path, path);
  const std::string temporary = path + ".tmp";
  File file(std::fopen(temporary.c_str(), "wbe"));
  if (file == nullptr) refuse("cannot be written", path, errno);
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool is_closed = std::fclose(file.release()) == 0;
  if (!is_written || !is_closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    refuse("cannot be written", path, error);
  }
}

std::optional<std::string> read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    if (errno == ENOENT) return std::nullopt;
    refuse("cannot be read", path, errno);
  }
  std::string bytes;
  char buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    bytes.append(buffer, count);
  }
  if (std::ferror(file.get()) != 0) refuse("cannot be read", path, errno);
  return bytes;
}

}  // namespace orrery::detail
