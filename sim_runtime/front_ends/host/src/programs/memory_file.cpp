#include "memory_file.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::host {
namespace {

void allow_many_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

MemoryFile::MemoryFile(const std::string& name)
    : descriptor_(memfd_create(name.c_str(), MFD_CLOEXEC)) {
  if (descriptor_ < 0 && errno == EMFILE) {
    allow_many_open_files();
    descriptor_ = memfd_create(name.c_str(), MFD_CLOEXEC);
  }
  if (descriptor_ >= 0) return;
  throw UsageError(fmt::format("no file for another copy of the program: {}", std::strerror(errno)),
                   name, "use fewer ranks, or raise the limit on open files (`ulimit -n`)");
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void MemoryFile::write(const std::byte* bytes, std::size_t size, std::size_t offset) const {
  while (size > 0) {
    const ssize_t written = pwrite(descriptor_, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw UsageError(
          fmt::format("no memory for another copy of the program: {}", std::strerror(errno)),
          "ranks",
          errno == EFBIG ? "raise the limit on the size of files (`ulimit -f`)"
                         : "use fewer ranks");
    }
    bytes += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace orrery::host
