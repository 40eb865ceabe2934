// How long a parent waits for a worker.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>

#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::detail {

/// How long a run may go without coming back to the machine, which has a limit of its own.
[[nodiscard]] inline std::int64_t patience_ns(const SimulationOptions& options) {
  const std::int64_t limit_ns = options.wall_limit.nanoseconds();
  const std::int64_t more_ns = std::max<std::int64_t>(limit_ns / 4, 1'000'000'000);
  return limit_ns > INT64_MAX - more_ns ? INT64_MAX : limit_ns + more_ns;
}

/// While it lives, writing to a worker that is gone fails instead of killing this process.
class BrokenPipeGuard {
 public:
  BrokenPipeGuard() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~BrokenPipeGuard() { std::signal(SIGPIPE, before_); }
  BrokenPipeGuard(const BrokenPipeGuard&) = delete;
  BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace orrery::detail
