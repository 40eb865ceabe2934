// The wall clock, for limits and progress only: it never reaches a decision or a report.
#pragma once

#include <cstdint>

namespace orrery::detail {

/// Nanoseconds of the system's monotonic clock.
[[nodiscard]] std::int64_t wall_clock_ns();

/// A span of wall-clock time that began when this was made.
class Stopwatch {
 public:
  Stopwatch() : start_ns_(wall_clock_ns()) {}
  [[nodiscard]] std::int64_t elapsed_ns() const { return wall_clock_ns() - start_ns_; }
  void restart() { start_ns_ = wall_clock_ns(); }

 private:
  std::int64_t start_ns_;
};

}  // namespace orrery::detail
