#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/mapped_file.hpp>

namespace orrery {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto fail = [&path](int error) {
    throw UsageError("the file cannot be read", path.string(), std::strerror(error));
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(errno);
  struct stat status {};
  const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(is_file ? status.st_size : 0);
  void* const memory = size != 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int error = is_file ? errno : EINVAL;
  close(file);
  if (!is_file || memory == MAP_FAILED) fail(error);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace orrery
