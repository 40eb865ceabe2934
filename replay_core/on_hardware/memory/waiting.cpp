#include "waiting.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

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

std::int64_t processor_time_ns(pid_t thread) {
  constexpr unsigned scheduler_time_of_a_thread = 6;
  const auto clock =
      static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | scheduler_time_of_a_thread);
  timespec used{};
  if (syscall(SYS_clock_gettime, clock, &used) != 0) return -1;
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

}  // namespace

void Waiting::pause() {
  ++rounds_;
  if (rounds_ < rounds_quick) return __builtin_ia32_pause();
  if (rounds_ < rounds_yielding) {
    syscall(SYS_sched_yield);
    return;
  }
  const timespec moment{0, 50'000};
  syscall(SYS_nanosleep, &moment, nullptr);
}

bool Waiting::has_passed(pid_t thread, bool is_in_hook) {
  if (rounds_ < rounds_yielding) return false;
  if (thread == 0) return true;
  if (is_in_hook) {
    first_used_ns_ = -1;
    return false;
  }
  const char state = state_of(thread);
  // 'D' may be the access itself, whose page comes from a disk; who is stopped, by a debugger or as
  // all threads are, may be so before it.
  if (state == '\0' || std::strchr("SXZ", state) != nullptr) return true;
  const std::int64_t used_ns = processor_time_ns(thread);
  if (thread != thread_ || first_used_ns_ < 0) {
    thread_ = thread;
    first_used_ns_ = used_ns;
    return false;
  }
  constexpr std::int64_t surely_done_ns = 1'000'000;
  return used_ns - first_used_ns_ > surely_done_ns;
}

}  // namespace orrery::on_hardware
