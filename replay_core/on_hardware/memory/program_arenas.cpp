#include "program_arenas.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <unistd.h>

#include "next_function.hpp"
#include "own_lock.hpp"
#include "process_record.hpp"
#include "readings.hpp"
#include "thread_memory.hpp"
#include "thread_record.hpp"

extern "C" {
// Of sanitizers; what is not loaded is null.
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void __msan_init();
}

namespace orrery::on_hardware {

using host::HeapSpans;
using host::ThreadArena;

constinit thread_local ThreadArena* own_arena = nullptr;

namespace {

bool are_reserved = false;  // NOLINT: of the process

/// A program that uses what it has freed meets with the allocator there.
void come_to_free_block(const ThreadArena::Touched& touched) {
  ThreadRecord* const own = recorded();
  ThreadMemory* const memory = own != nullptr ? own->memory() : nullptr;
  if (memory == nullptr || !process_record.has_threads()) return;
  memory->come_to(reinterpret_cast<std::uintptr_t>(touched.block), touched.bytes, touched.is_write,
                  0);
}

/// Which parts threads have got, their own from below, further ones from above.
struct Parts {
  OwnLock lock;
  std::uint32_t own_end = 0;
  std::uint32_t further = 0;

  [[nodiscard]] bool take_own(std::uint32_t number) {
    const auto part = ThreadArena::own_part_for_more(number);
    if (!part) return true;
    const std::lock_guard held(lock);
    if (*part >= ThreadArena::parts_for_more - further) return false;
    own_end = std::max(own_end, *part + 1);
    return true;
  }
  [[nodiscard]] ThreadArena::More take_more(std::size_t bytes) {
    const std::uint32_t wanted = ThreadArena::parts_wanted(bytes);
    const std::lock_guard held(lock);
    if (wanted > ThreadArena::parts_for_more - further - own_end) return {};
    further += wanted;
    return {ThreadArena::parts_for_more - further, wanted};
  }
};
constinit Parts parts;  // NOLINT: of the process

/// The thread's own arena is full.  Which parts it gets goes by when others' were full: that is
/// kept.
ThreadArena* extend_own(std::size_t bytes) {
  if (recorded() == nullptr) return nullptr;
  const ThreadArena::More more = parts.take_more(bytes);
  readings().drew(std::uint64_t{more.count} << 32U | more.first);
  if (more.count == 0) return nullptr;
  auto* const made = new ThreadArena;
  return made->begin_closed(more) ? made : nullptr;
}

[[noreturn]] void end_process(std::string_view words) {
  static_cast<void>(!write(STDERR_FILENO, words.data(), words.size()));
  std::abort();
}

}  // namespace

void begin_arenas(bool is_built_by_us) {
  if (__asan_init != nullptr || __tsan_init != nullptr || __msan_init != nullptr) return;
  if (is_built_by_us) program_callers().note_built_by_us();
  next<&::free>("free");  // looked up now: it may be called while another function is
  are_reserved = HeapSpans::reserve_closed();
  if (!are_reserved) process_record.note(thread_spool::addresses_unkept);
}

void begin_arena(ThreadRecord& record) {
  if (!are_reserved) return;
  auto* const made = new ThreadArena;
  if (!parts.take_own(record.number()) || !made->begin_closed(record.number())) {
    delete made;
    process_record.note(thread_spool::addresses_unkept);
    return;
  }
  record.header().has_arena = 1;
  if (record.memory() != nullptr) {
    record.header().are_blocks_told = 1;
    made->tell(ThreadArena::Telling::lists, come_to_free_block);
  }
  made->extend_by(extend_own);
  own_arena = made;
}

ByteRange arena_range() {
  if (!are_reserved) return {};
  // What lies before that in a replay is the simulation's and the libraries'.
  const std::uintptr_t begin = HeapSpans::address_of(ThreadArena::first_arena_unit);
  return {begin, HeapSpans::address_of(0) + HeapSpans::range_bytes - begin};
}

bool is_in_arena(const void* block) {
  return are_reserved && HeapSpans::is_in_range(block);
}

void* handed_out_of_arena(void* block) {
  if (block == nullptr) process_record.note(thread_spool::addresses_unkept);
  return block;
}

void release_to_arena(void* block) {
  const auto result = own_arena != nullptr ? own_arena->release(block) : ThreadArena::drop(block);
  if (result == ThreadArena::Release::done) return;
  end_process(result == ThreadArena::Release::already_free ? "free(): double free detected\n"
                                                           : "free(): invalid pointer\n");
}

}  // namespace orrery::on_hardware
