#include "program_memory.hpp"

#include <dlfcn.h>

#include "ranks/program_identity.hpp"

namespace orrery::host {

constinit UserHeap user_heap;
RankMemory rank_memory(user_heap);

void prepare_program_memory() {
  program_modules.note_own();
  const bool has_address_sanitizer = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  if (has_address_sanitizer || !user_heap.reserve()) program_modules.take_all();
}

void begin_arena(ThreadContext& thread) {
  const std::optional<std::uint32_t> number = arena_number(thread);
  if (!number) return;
  const HostScope ours;
  thread.arena = rank_memory.make_arena(*number);
}

}  // namespace orrery::host

// AddressSanitizer reads files of the system's for its report.
extern "C" void orrery_program_is_dying();
extern "C" void orrery_program_is_dying() {
  orrery::host::running().user = nullptr;
}
