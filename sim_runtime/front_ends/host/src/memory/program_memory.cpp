#include "program_memory.hpp"

#include <dlfcn.h>

#include "files/shared_file.hpp"
#include "machine.hpp"
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

namespace {

/// One that tells of its lists: of each block's first word.
void come_to_list(const ThreadArena::Touched& touched) {
  if (running().hooks != nullptr) running().hooks->come_to_block(touched.block, 1, true);
}

void come_to_contents(const ThreadArena::Touched& touched) {
  if (running().hooks == nullptr) return;
  running().hooks->come_to_block(touched.block, touched.bytes, touched.is_write);
}

/// The thread's own is full.  Which parts it gets is kept, since threads may come to that in
/// another order.
ThreadArena* extend_own(std::size_t bytes) {
  const ThreadArena::More own = rank_memory.next_parts(bytes);
  const std::uint64_t word = told(std::uint64_t{own.count} << 32U | own.first);
  const ThreadArena::More parts{static_cast<std::uint32_t>(word),
                                static_cast<std::uint32_t>(word >> 32U)};
  if (parts.count == 0) return nullptr;
  const HostScope ours;
  return rank_memory.make_arena(parts);
}

}  // namespace

void begin_arena(ThreadContext& thread) {
  const std::optional<ArenaWanted> wanted = wanted_arena(thread);
  thread.keeps_sequences = are_sequences_kept(thread);
  thread.keeps_transfers = are_transfers_kept(thread);
  thread.keeps_signals = are_signals_kept(thread);
  thread.handlers_to_come = recorded_handlers(thread);
  thread.answers_kept = which_answers_are_kept(thread);
  thread.cancellation.recorded = recorded_cancellation(thread);
  thread.cancellation.counts_signal_waits = are_signal_waits_counted(thread);
  if (!wanted) return;
  const bool can_grow = can_arena_grow(thread);
  const HostScope ours;
  thread.arena = rank_memory.make_arena(wanted->number);
  if (thread.arena == nullptr) return;
  if (can_grow) thread.arena->extend_by(extend_own);
  const bool are_contents_told = wanted->telling == ThreadArena::Telling::contents;
  thread.arena->tell(wanted->telling, are_contents_told ? come_to_contents : come_to_list);
  auto* const machine = detail::Machine::current();
  if (wanted->keeps_words && machine != nullptr) {
    machine->program_accesses().keep_words(HeapSpans::address_of(ThreadArena::first_arena_unit),
                                           HeapSpans::address_of(HeapSpans::units_max));
  }
}

}  // namespace orrery::host

// AddressSanitizer reads files of the system's for its report.
extern "C" void orrery_program_is_dying();
extern "C" void orrery_program_is_dying() {
  orrery::host::running().user = nullptr;
}
