// The lines on standard error that tell how far a search or a shrinking is.
#pragma once

#include <cstdint>
#include <string>

#include "explorer.hpp"
#include "shrinker.hpp"
#include "wall_clock.hpp"

namespace orrery::detail {

/// What the bar shows.
struct ProgressCounts {
  std::uint64_t runs = 0;
  std::uint64_t findings = 0;
  std::uint64_t distinct_schedules = 0;
};

/// One line, drawn at most ten times a second, and wiped when this goes.
class ProgressLine {
 public:
  explicit ProgressLine(ExploreOptions::Progress wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Should it be drawn anew?
  [[nodiscard]] bool is_due();
  void draw(const std::string& text);
  [[nodiscard]] std::int64_t elapsed_ns() const { return since_start_.elapsed_ns(); }

 private:
  bool is_on_;
  bool is_drawn_ = false;
  Stopwatch since_start_;
  std::int64_t next_ns_ = 0;
};

/// The bar of a search.
class Progress {
 public:
  Progress(const ExploreOptions& options, bool is_walk);
  void show(const ProgressCounts& counts);

 private:
  [[nodiscard]] double share_done(const ProgressCounts& counts) const;

  ProgressLine line_;
  std::uint64_t runs_most_ = 0;  // 0: not known
  std::int64_t duration_ns_ = 0;
};

/// How small a run has become, and after how many tries.
class ShrinkProgress {
 public:
  explicit ShrinkProgress(const ShrinkOptions& options);
  void show(const ShrinkResult& so_far);

 private:
  ProgressLine line_;
  std::string most_;  ///< how much it may take, in words
};

}  // namespace orrery::detail
