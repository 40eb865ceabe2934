// The one file of the explorers that reads the wall clock.
#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace orrery::detail {
namespace {

constexpr std::int64_t redraw_ns = 100'000'000;
constexpr int bar_width = 24;

std::string duration_left(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e9));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

}  // namespace

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Progress::Progress(const ExploreOptions& options, bool is_walk)
    : duration_ns_(options.for_duration.nanoseconds()) {
  using Wanted = ExploreOptions::Progress;
  is_on_ = options.progress == Wanted::always ||
           (options.progress == Wanted::on_terminal && isatty(STDERR_FILENO) != 0);
  if (duration_ns_ == 0 && !is_walk) runs_most_ = options.runs;
}

Progress::~Progress() {
  if (is_drawn_) fmt::print(stderr, "\r\x1b[K");
}

double Progress::share_done(const ProgressCounts& counts) const {
  if (duration_ns_ > 0) {
    return static_cast<double>(since_start_.elapsed_ns()) / static_cast<double>(duration_ns_);
  }
  if (runs_most_ == 0) return 0;
  return static_cast<double>(counts.runs) / static_cast<double>(runs_most_);
}

void Progress::show(const ProgressCounts& counts) {
  if (!is_on_) return;
  const std::int64_t now_ns = since_start_.elapsed_ns();
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + redraw_ns;
  const double seconds = static_cast<double>(std::max<std::int64_t>(now_ns, 1)) / 1e9;
  const double share = std::clamp(share_done(counts), 0.0, 1.0);
  std::string bar;
  if (runs_most_ != 0 || duration_ns_ != 0) {
    const auto full = static_cast<std::size_t>(share * bar_width);
    bar = "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "] ";
  }
  std::string left;
  if (share > 0.001) left = ", " + duration_left(seconds / share - seconds) + " left";
  fmt::print(stderr, "\r\x1b[K{}{} runs, {:.0f} runs/s, {} findings, {} schedules{}", bar,
             counts.runs, static_cast<double>(counts.runs) / seconds, counts.findings,
             counts.distinct_schedules, left);
  std::fflush(stderr);
  is_drawn_ = true;
}

}  // namespace orrery::detail
