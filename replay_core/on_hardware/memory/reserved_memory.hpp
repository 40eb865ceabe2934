// Room for what may become large.
#pragma once

#include <cerrno>
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

/// Has memory for so many of these whole pages that nobody may have written yet.  Else each page
/// that is read first is one of zeros, and is replaced when it is written: then the system
/// interrupts all processors on which threads of the process run.  (Linux 5.14; others do that.)
template <typename T>
void use_at_once(T* first, std::size_t count) {
  constexpr int populate_for_writes = 23;  // MADV_POPULATE_WRITE, which older headers have not
  const int error = errno;
  madvise(first, count * sizeof(T), populate_for_writes);
  errno = error;
}

}  // namespace orrery::on_hardware
