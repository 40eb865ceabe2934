#include "protected_sites.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <orrery/replay_core/memory_spool.hpp>

#include "reserved_memory.hpp"

namespace orrery::on_hardware {
namespace {

int find_program(dl_phdr_info* image, std::size_t, void* into) {
  if (image->dlpi_name[0] != '\0') return 0;
  *static_cast<std::uint64_t*>(into) = image->dlpi_addr;
  return 1;
}

}  // namespace

bool ProtectedSites::read(const char* directory) {
  std::array<char, 4096> path{};
  std::snprintf(path.data(), path.size(), "%s/%s", directory, memory_spool::protected_sites_file);
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY));
  if (file < 0) return true;
  struct stat status {};
  const bool is_known = fstat(file, &status) == 0 && status.st_size > 0;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped =
      is_known ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  syscall(SYS_close, file);
  if (mapped == MAP_FAILED) return false;
  dl_iterate_phdr(find_program, &image_begin_);
  const auto* const numbers = static_cast<const std::uint64_t*>(mapped);
  const std::uint64_t count = bytes / sizeof *numbers;
  // Those that are switched off come first.
  const std::uint64_t second = numbers[0] + 1;
  const bool is_good = second < count && numbers[second] == count - second - 1 &&
                       note(numbers + second + 1, numbers[second]);
  munmap(mapped, bytes);
  return is_good;
}

bool ProtectedSites::note(const std::uint64_t* sites, std::uint64_t count) {
  if (count == 0) return true;
  const std::uint64_t words = sites[count - 1] / 64 + 1;
  bits_ = reserve<std::uint64_t>(words);
  if (bits_ == nullptr) return false;
  for (std::uint64_t i = 0; i < count; ++i)
    bits_[sites[i] / 64] |= std::uint64_t{1} << sites[i] % 64;
  words_ = words;
  return true;
}

}  // namespace orrery::on_hardware
