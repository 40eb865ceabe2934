#include "program_memory.hpp"

#include <dlfcn.h>

#include "machine.hpp"

namespace orrery::host {

constinit UserHeap user_heap;

void prepare_program_memory() {
  program_modules.note_own();
  const bool has_address_sanitizer = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  if (has_address_sanitizer || !user_heap.reserve()) program_modules.take_all();
}

void tell_freed_block(void* block, std::size_t bytes) {
  const auto* const machine = detail::Machine::current();
  if (machine == nullptr) return;
  const HostScope ours;
  if (running().hooks != nullptr) running().hooks->tell_accesses();
  machine->tell_freed(block, bytes);
}

}  // namespace orrery::host

// AddressSanitizer reads files of the system's for its report.
extern "C" void orrery_program_is_dying();
extern "C" void orrery_program_is_dying() {
  orrery::host::running().user = nullptr;
}
