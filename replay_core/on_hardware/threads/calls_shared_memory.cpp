// Memory that other processes may write to, which nobody sees.
#include <sys/mman.h>
#include <sys/shm.h>

#include "memory_record.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;

namespace {

/// The program is about to get a mapping of its own accord.
void note_mapping(const void* caller, int flags, int file) {
  const bool is_common = (flags & MAP_SHARED) != 0 && (flags & MAP_ANONYMOUS) == 0 && file >= 0;
  if (is_common && is_watched(caller)) process_record.note(orrery::thread_spool::shared_memory);
}

void* mapped(void* mapping, std::size_t bytes) {
  if (mapping != MAP_FAILED) memory_record.note_mapping(mapping, bytes);
  return mapping;
}

}  // namespace

ORRERY_RECORDED void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                           off_t place) noexcept {
  note_mapping(__builtin_return_address(0), flags, file);
  return mapped(next<&::mmap>("mmap")(address, bytes, protection, flags, file, place), bytes);
}

ORRERY_RECORDED void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
                             off64_t place) noexcept {
  note_mapping(__builtin_return_address(0), flags, file);
  return mapped(next<&::mmap64>("mmap64")(address, bytes, protection, flags, file, place), bytes);
}

ORRERY_RECORDED void* shmat(int segment, const void* address, int flags) noexcept {
  if (is_watched(__builtin_return_address(0))) {
    process_record.note(orrery::thread_spool::shared_memory);
  }
  return next<&::shmat>("shmat")(segment, address, flags);
}
