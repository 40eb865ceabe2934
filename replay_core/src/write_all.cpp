#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

namespace orrery {

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void check_can_be_replaced(const std::string& path, const std::string& where) {
  struct stat there = {};
  if (::stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode)) return;
  throw UsageError(
      "'" + path + "' is there, and no plain file: a finished one would take its place", where,
      "give the name of a file");
}

}  // namespace orrery
