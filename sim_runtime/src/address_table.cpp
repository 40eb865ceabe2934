#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/address_table.hpp>

namespace orrery::detail {

LazyMemory::LazyMemory(std::size_t bytes) : bytes_(bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    throw UsageError(fmt::format("the system refuses a range of {} MB of addresses: {}",
                                 bytes >> 20U, std::strerror(errno)),
                     "watching memory accesses", "raise the limit of `ulimit -v`");
  }
  data_ = data;
}

LazyMemory::~LazyMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void LazyMemory::expect_much() const {
  madvise(data_, bytes_, MADV_HUGEPAGE);  // no is an answer, too
}

void LazyMemory::grow(std::size_t bytes) {
  void* const data = mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = data;
  bytes_ = bytes;
}

LazyMemory::LazyMemory(LazyMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

LazyMemory& LazyMemory::operator=(LazyMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace orrery::detail
