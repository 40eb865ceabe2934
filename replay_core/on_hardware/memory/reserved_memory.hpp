// Room for what may become large.
#pragma once

#include <cstddef>

#include <sys/mman.h>

namespace orrery::on_hardware {

/// So many, all zero; memory is used where they are written.  Null: there is no room.
template <typename T>
T* reserve(std::size_t count) {
  void* const mapped = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<T*>(mapped);
}

}  // namespace orrery::on_hardware
