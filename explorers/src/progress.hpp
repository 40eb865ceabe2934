// The progress bar on standard error.
#pragma once

#include <cstdint>

#include "explorer.hpp"
#include "wall_clock.hpp"

namespace orrery::detail {

/// What the bar shows.
struct ProgressCounts {
  std::uint64_t runs = 0;
  std::uint64_t findings = 0;
  std::uint64_t distinct_schedules = 0;
};

/// Draws the bar at most ten times a second, on one line, and wipes it when it goes.
class Progress {
 public:
  Progress(const ExploreOptions& options, bool is_walk);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const ProgressCounts& counts);

 private:
  [[nodiscard]] double share_done(const ProgressCounts& counts) const;

  bool is_on_ = false;
  bool is_drawn_ = false;
  std::uint64_t runs_most_ = 0;  // 0: not known
  std::int64_t duration_ns_ = 0;
  Stopwatch since_start_;
  std::int64_t next_ns_ = 0;
};

}  // namespace orrery::detail
