// Blocks of memory that are handed out: what lies there is something new.  Nothing else is done
// about them, and where they lie is the allocator's affair.
#include <cstddef>
#include <cstdlib>

#include <malloc.h>

#include "memory_record.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

namespace {

void* handed_out(void* block) {
  if (block != nullptr && memory_record.is_on() && recorded() != nullptr) {
    memory_record.forget(block, malloc_usable_size(block));
  }
  return block;
}

}  // namespace

ORRERY_RECORDED void* malloc(std::size_t bytes) noexcept {
  return handed_out(next<&::malloc>("malloc")(bytes));
}

ORRERY_RECORDED void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return handed_out(next<&::calloc>("calloc")(count, bytes));
}

// A block that has grown where it was is a new one, too: in simulation it may have moved.
ORRERY_RECORDED void* realloc(void* block, std::size_t bytes) noexcept {
  return handed_out(next<&::realloc>("realloc")(block, bytes));
}

ORRERY_RECORDED void* memalign(std::size_t boundary, std::size_t bytes) noexcept {
  return handed_out(next<&::memalign>("memalign")(boundary, bytes));
}

ORRERY_RECORDED void* aligned_alloc(std::size_t boundary, std::size_t bytes) noexcept {
  return handed_out(next<&::aligned_alloc>("aligned_alloc")(boundary, bytes));
}

ORRERY_RECORDED int posix_memalign(void** block, std::size_t boundary, std::size_t bytes) noexcept {
  const int error = next<&::posix_memalign>("posix_memalign")(block, boundary, bytes);
  if (error == 0) handed_out(*block);
  return error;
}
