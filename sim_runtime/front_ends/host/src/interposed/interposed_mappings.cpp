// mmap and its kin: a program's mappings are `user_mappings`.
#include <cerrno>
#include <cstdarg>

#include <sys/mman.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/user_files.hpp"
#include "memory/program_memory.hpp"
#include "memory/user_mappings.hpp"
#include "ranks/next_function.hpp"

using orrery::host::asks_user_heap;
using orrery::host::HostScope;
using orrery::host::next_function;
using orrery::host::programs_mappings;

namespace {

/// A program's descriptor as the system has it; -1 with `errno`.
int system_descriptor(int number, int flags) {
  if ((flags & MAP_ANONYMOUS) != 0) return -1;
  const auto file = orrery::host::open_file(number);
  if (file == nullptr) return -1;
  if (file->system_descriptor() < 0) errno = ENODEV;
  return file->system_descriptor();
}

void* map_for_program(void* wanted, std::size_t bytes, int protection, int flags, int number,
                      off_t offset) {
  const int file = system_descriptor(number, flags);
  if (file < 0 && (flags & MAP_ANONYMOUS) == 0) return MAP_FAILED;
  void* result = nullptr;
  {
    auto& mappings = programs_mappings();
    const HostScope ours;
    result = mappings.map(wanted, bytes, protection, flags, file, offset);
  }
  auto* const hooks = orrery::host::running().hooks;
  if (result != MAP_FAILED && hooks != nullptr && hooks->watches_blocks()) {
    hooks->take_block(result, bytes);
  }
  return result;
}

using Map = void* (*)(void*, std::size_t, int, int, int, off_t);
using Remap = void* (*)(void*, std::size_t, std::size_t, int, void*);

void* break_failed() {
  errno = ENOMEM;
  return reinterpret_cast<void*>(-1);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_mappings;
const char orrery_interposed_mappings = 0;

void* mmap(void* wanted, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) {
    return map_for_program(wanted, bytes, protection, flags, file, offset);
  }
  static const auto next = next_function<Map>("mmap");
  return next(wanted, bytes, protection, flags, file, offset);
}

void* mmap64(void* wanted, std::size_t bytes, int protection, int flags, int file,
             off64_t offset) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) {
    return map_for_program(wanted, bytes, protection, flags, file, offset);
  }
  static const auto next = next_function<Map>("mmap64");
  return next(wanted, bytes, protection, flags, file, offset);
}

int munmap(void* begin, std::size_t bytes) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) {
    auto& mappings = programs_mappings();
    const HostScope ours;
    return mappings.unmap(begin, bytes);
  }
  static const auto next = next_function<int (*)(void*, std::size_t)>("munmap");
  return next(begin, bytes);
}

void* mremap(void* begin, std::size_t old_bytes, std::size_t new_bytes, int flags, ...) noexcept {
  void* target = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    target = va_arg(arguments, void*);
    va_end(arguments);
  }
  if (asks_user_heap(ORRERY_CALLER)) {
    auto& mappings = programs_mappings();
    const HostScope ours;
    return mappings.remap(begin, old_bytes, new_bytes, flags, target);
  }
  static const auto next = next_function<Remap>("mremap");
  return next(begin, old_bytes, new_bytes, flags, target);
}

void* sbrk(std::intptr_t bytes) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) {
    auto& mappings = programs_mappings();
    const HostScope ours;
    void* const before = mappings.move_break(bytes);
    return before == nullptr ? break_failed() : before;
  }
  return next_function<void* (*)(std::intptr_t)>("sbrk")(bytes);
}

int brk(void* end) noexcept {
  if (asks_user_heap(ORRERY_CALLER)) {
    auto& mappings = programs_mappings();
    const HostScope ours;
    const auto* const now = static_cast<const std::byte*>(mappings.move_break(0));
    const std::ptrdiff_t bytes = static_cast<const std::byte*>(end) - now;
    if (now != nullptr && mappings.move_break(bytes) != nullptr) return 0;
    break_failed();
    return -1;
  }
  return next_function<int (*)(void*)>("brk")(end);
}
}
