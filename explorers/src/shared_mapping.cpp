#include "shared_mapping.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

SharedMapping::SharedMapping(std::size_t size_bytes) : size_(size_bytes) {
  void* const address = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw UsageError("cannot map " + std::to_string(size_bytes) +
                         " bytes to share with workers: " + std::strerror(errno),
                     "explore", "raise the limit on address space (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(address);
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace orrery::detail
