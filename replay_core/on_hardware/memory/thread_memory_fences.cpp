// Having other threads pass a fence.
//
// One that goes on comes to its next hook soon, and passes it there: that takes a tenth of what it
// takes to have the system interrupt its processor (membarrier(2)), on virtual machines above all.
#include "all_threads_fence.hpp"
#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

/// What it has said is seen before this, and what others have said after it.
void ThreadMemory::pass_asked_fence() {
  if ((asked_.load(std::memory_order_relaxed) & asked_to_fence) != 0) {
    asked_.fetch_and(~asked_to_fence);
  }
}

/// False: some of those that were asked do something else for long.
template <typename Answered>
bool ThreadMemory::is_answered(const Answered& have_answered) {
  // As long as it takes to have them interrupted, at most.
  constexpr int looks = 50;
  for (int i = 0; i < looks; ++i) {
    if (have_answered()) return true;
    // Those may ask this thread.
    answer();
    __builtin_ia32_pause();
  }
  return false;
}

void ThreadMemory::have_fenced(ThreadMemory& other) {
  other.asked_.fetch_or(asked_to_fence);
  // Who begins to access memory, or does once more, passes one.
  if (other.system_thread() == 0) return;
  const auto has_answered = [&other] {
    return (other.asked_.load(std::memory_order_acquire) & asked_to_fence) == 0;
  };
  if (!is_answered(has_answered)) AllThreadsFence::pass();
}

void ThreadMemory::have_all_fenced() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::uint32_t count = process_.thread_count();
  const auto is_asked = [this](const ThreadMemory* other) {
    return other != nullptr && other != this && other->system_thread() != 0;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    ThreadMemory* const other = process_.thread(i);
    if (is_asked(other)) other->asked_.fetch_or(asked_to_fence);
  }
  std::uint32_t next = 0;
  const auto have_answered = [&] {
    for (; next < count; ++next) {
      const ThreadMemory* const other = process_.thread(next);
      if (!is_asked(other)) continue;
      if ((other->asked_.load(std::memory_order_acquire) & asked_to_fence) != 0) return false;
    }
    return true;
  };
  if (!is_answered(have_answered)) AllThreadsFence::pass();
}

}  // namespace orrery::on_hardware
