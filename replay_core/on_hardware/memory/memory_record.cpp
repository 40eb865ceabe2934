#include "memory_record.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <sys/syscall.h>
#include <unistd.h>

#include "all_threads_fence.hpp"
#include "process_record.hpp"
#include "program_arenas.hpp"
#include "thread_places.hpp"

namespace orrery::on_hardware {

using memory_spool::word_bytes;

namespace {

WordRange words_of(const void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uint64_t first = begin / word_bytes;
  return {first, (begin + bytes + word_bytes - 1) / word_bytes - first};
}

}  // namespace

constinit MemoryRecord memory_record;  // there before anything asks

MemoryRecord::Method MemoryRecord::asked_for() {
  const char* const text = std::getenv(memory_spool::method_variable);
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "leap") return Method::leap;
  if (name == "stride") return Method::stride;
  return name == "global-writes" ? Method::global_writes : Method::none;
}

bool MemoryRecord::begin(Method method, const char* directory) {
  directory_ = directory;
  if (!words_.begin() || !quiet_sites_.read(directory)) return false;
  method_ = method;
  has_fence_ = AllThreadsFence::begin();
  const ByteRange heap = arena_range();
  named_ = {heap.begin, heap.bytes};
  named_first_ = heap.begin / word_bytes;
  named_words_ = heap.bytes / word_bytes;
  const char* const groups = std::getenv(memory_spool::groups_variable);
  if (groups != nullptr) groups_.begin(MemoryGroups::of(groups).value_or(MemoryGroups{}), heap);
  return true;
}

ThreadMemory* MemoryRecord::begin_thread(ThreadRecord& record) {
  if (!is_on() || record.number() >= threads_max) return nullptr;
  auto* const made = new ThreadMemory(*this, record);
  if (!made->open(directory_)) return nullptr;
  threads_[record.number()].store(made, std::memory_order_release);
  std::uint32_t count = thread_count_.load();
  while (count <= record.number() &&
         !thread_count_.compare_exchange_weak(count, record.number() + 1)) {
  }
  return made;
}

std::uint64_t MemoryRecord::writes() const {
  for (;;) {
    const std::uint64_t state = all_writes_.load(std::memory_order_acquire);
    if (!SharedWord::is_taken(state)) return state;
    syscall(SYS_sched_yield);
  }
}

bool MemoryRecord::count_writes(std::uint64_t& before, std::uint32_t thread, std::uint64_t writes,
                                bool is_held) {
  const std::uint64_t more = (2 * writes + (is_held ? 1 : 0)) * SharedWord::one_version;
  const std::uint64_t now = ((before & ~SharedWord::writer_mask) + more) | (thread + 1);
  if (all_writes_.compare_exchange_weak(before, now)) return true;
  before = this->writes();
  return false;
}

std::uint32_t MemoryRecord::take_numbers(std::uint32_t count) {
  const std::uint32_t first = next_number_.load(std::memory_order_relaxed);
  if (first >= variables_max - count) return 0;
  return next_number_.fetch_add(count);
}

void MemoryRecord::forget(const void* block, std::size_t bytes) {
  const WordRange words = words_of(block, bytes);
  static_cast<void>(loses_stacks(words));
  words_.forget(words.first, words.words);
}

void MemoryRecord::note_mapping(const void* mapping, std::size_t bytes) {
  const WordRange words = words_of(mapping, bytes);
  if (is_on() && loses_stacks(words)) words_.forget(words.first, words.words);
}

bool MemoryRecord::loses_stacks(const WordRange& to) {
  bool any = false;
  // The first thread's is never anything else.
  for (std::uint32_t i = 1; i < thread_count(); ++i) {
    ThreadMemory* const one = thread(i);
    any = (one != nullptr && one->loses_stack(to)) || any;
  }
  return any;
}

}  // namespace orrery::on_hardware
