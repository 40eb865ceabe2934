// Where the blocks lie that the program itself asks for: at the addresses that a replay has.
#pragma once

#include <cstddef>

#include <memory/thread_arena.hpp>

#include "program_callers.hpp"
#include "thread_places.hpp"

namespace orrery::on_hardware {

class ThreadRecord;

/// Of the thread that asks; null: what it allocates is the C library's.  It stays when recording
/// ends, and while a thread's last destructors run.
extern constinit thread_local host::ThreadArena* own_arena
    __attribute__((tls_model("initial-exec")));

/// Reserves the addresses of all arenas; once, before the program begins.  Not where a sanitizer
/// has the program's memory, nor where there is no room for them: then all goes on as without.
/// `is_built_by_us`: by `orrery cc`.
void begin_arenas(bool is_built_by_us);
/// The calling thread has this record, and its arena from now on.
void begin_arena(ThreadRecord& record);

/// Where the blocks of all of them lie; empty: there are none.
[[nodiscard]] ByteRange arena_range();
/// Is it a block of some thread's arena?
[[nodiscard]] bool is_in_arena(const void* block);
/// The arena for what `caller` asks of the calling thread; null: it is not the program's.
[[nodiscard]] inline host::ThreadArena* arena_for(const void* caller) {
  host::ThreadArena* const own = own_arena;
  return own != nullptr && program_callers().allocates_for_program(caller) ? own : nullptr;
}

/// Within: what is asked for is a library's.
class OutsideArena {
 public:
  OutsideArena() : arena_(own_arena) { own_arena = nullptr; }
  ~OutsideArena() { own_arena = arena_; }
  OutsideArena(const OutsideArena&) = delete;
  OutsideArena& operator=(const OutsideArena&) = delete;

 private:
  host::ThreadArena* arena_;
};

/// The block of an arena, which is the calling thread's from now on.  Null: the arena is full.
/// Returns it.
void* handed_out_of_arena(void* block);
/// Gives back a block of some arena.  Ends the process, as the C library does, where it is none.
void release_to_arena(void* block);

}  // namespace orrery::on_hardware
