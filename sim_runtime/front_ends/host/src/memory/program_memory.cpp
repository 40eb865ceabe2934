#include "program_memory.hpp"

#include <dlfcn.h>

#include "programs/program_hooks.hpp"
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
  const std::optional<ArenaWanted> wanted = wanted_arena(thread);
  thread.keeps_sequences = are_sequences_kept(thread);
  thread.keeps_transfers = are_transfers_kept(thread);
  thread.cancellation.recorded = recorded_cancellation(thread);
  if (!wanted) return;
  const HostScope ours;
  thread.arena = rank_memory.make_arena(wanted->number);
  const auto touch = [](const void* block) {
    if (running().hooks != nullptr) running().hooks->come_to_block(block);
  };
  if (thread.arena != nullptr && wanted->are_blocks_told) thread.arena->tell(touch);
}

}  // namespace orrery::host

// AddressSanitizer reads files of the system's for its report.
extern "C" void orrery_program_is_dying();
extern "C" void orrery_program_is_dying() {
  orrery::host::running().user = nullptr;
}
