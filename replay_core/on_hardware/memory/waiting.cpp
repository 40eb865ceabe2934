#include "waiting.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "all_threads_fence.hpp"

namespace orrery::on_hardware {
namespace {

/// A letter of proc(5); 0: it has ended.
char state_of(pid_t thread) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", thread);
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY));
  if (file < 0) return 0;
  std::array<char, 256> text{};
  const auto length = syscall(SYS_read, file, text.data(), text.size() - 1);
  syscall(SYS_close, file);
  const char* const name_end = length > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return name_end == nullptr ? '\0' : name_end[2];
}

std::int64_t time_ns(clockid_t clock) {
  timespec time{};
  if (syscall(SYS_clock_gettime, clock, &time) != 0) return -1;
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::int64_t processor_time_ns(pid_t thread) {
  constexpr unsigned scheduler_time_of_a_thread = 6;
  return time_ns(
      static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | scheduler_time_of_a_thread));
}

}  // namespace

void Waiting::pause() {
  ++rounds_;
  if (rounds_ < rounds_quick) return __builtin_ia32_pause();
  if (rounds_ < rounds_yielding) {
    const std::int64_t before_ns = time_ns(CLOCK_MONOTONIC);
    syscall(SYS_sched_yield);
    // Who computes on this processor has had it for milliseconds, and would each time.
    if (time_ns(CLOCK_MONOTONIC) - before_ns > yield_ns_max) rounds_ = rounds_yielding;
    return;
  }
  const timespec moment{0, 50'000};
  syscall(SYS_nanosleep, &moment, nullptr);
}

bool Waiting::has_passed(pid_t thread, bool is_in_hook) {
  if (rounds_ < rounds_yielding) return false;
  if (thread == 0) return true;
  if (is_in_hook) {
    look_anew();
    return false;
  }
  const char state = state_of(thread);
  // 'D' may be the access itself, whose page comes from a disk; who is stopped, by a debugger or as
  // all threads are, may be so before it.
  if (state == '\0' || std::strchr("SXZ", state) != nullptr) return true;
  // A virtual machine's processor may be taken away from it in the midst of what a thread does, and
  // counts as that thread's time meanwhile; but then it answers no fence.
  if (has_fence_) AllThreadsFence::pass();
  const std::int64_t used_ns = processor_time_ns(thread);
  if (thread != thread_ || last_used_ns_ < 0) {
    thread_ = thread;
    last_used_ns_ = used_ns;
    steps_computed_ = 0;
    return false;
  }
  if (used_ns - last_used_ns_ < step_ns) return false;
  last_used_ns_ = used_ns;
  return ++steps_computed_ >= (has_fence_ ? steps_fenced : steps_unfenced);
}

}  // namespace orrery::on_hardware
