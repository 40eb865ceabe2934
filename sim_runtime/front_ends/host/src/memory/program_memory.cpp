#include "program_memory.hpp"

#include <dlfcn.h>

namespace orrery::host {

constinit UserHeap user_heap;
RankMemory rank_memory(user_heap);

void prepare_program_memory() {
  program_modules.note_own();
  const bool has_address_sanitizer = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  if (has_address_sanitizer || !user_heap.reserve()) program_modules.take_all();
}

}  // namespace orrery::host

// AddressSanitizer reads files of the system's for its report.
extern "C" void orrery_program_is_dying();
extern "C" void orrery_program_is_dying() {
  orrery::host::running().user = nullptr;
}
