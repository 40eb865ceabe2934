// The one file of the explorers that reads the wall clock.
#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/duration_text.hpp>

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

// --- the line ---------------------------------------------------------------------------------

ProgressLine::ProgressLine(ExploreOptions::Progress wanted) {
  using Wanted = ExploreOptions::Progress;
  is_on_ =
      wanted == Wanted::always || (wanted == Wanted::on_terminal && isatty(STDERR_FILENO) != 0);
}

ProgressLine::~ProgressLine() {
  if (is_drawn_) fmt::print(stderr, "\r\x1b[K");
}

bool ProgressLine::is_due() {
  if (!is_on_) return false;
  const std::int64_t now_ns = elapsed_ns();
  if (now_ns < next_ns_) return false;
  next_ns_ = now_ns + redraw_ns;
  return true;
}

void ProgressLine::draw(const std::string& text) {
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  is_drawn_ = true;
}

// --- what stands in it ------------------------------------------------------------------------

Progress::Progress(const ExploreOptions& options, bool is_walk)
    : line_(options.progress), duration_ns_(options.for_duration.nanoseconds()) {
  if (duration_ns_ == 0 && !is_walk) runs_most_ = options.runs;
}

double Progress::share_done(const ProgressCounts& counts) const {
  if (duration_ns_ > 0) {
    return static_cast<double>(line_.elapsed_ns()) / static_cast<double>(duration_ns_);
  }
  if (runs_most_ == 0) return 0;
  return static_cast<double>(counts.runs) / static_cast<double>(runs_most_);
}

void Progress::show(const ProgressCounts& counts) {
  if (!line_.is_due()) return;
  const double seconds = static_cast<double>(std::max<std::int64_t>(line_.elapsed_ns(), 1)) / 1e9;
  const double share = std::clamp(share_done(counts), 0.0, 1.0);
  std::string bar;
  if (runs_most_ != 0 || duration_ns_ != 0) {
    const auto full = static_cast<std::size_t>(share * bar_width);
    bar = "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "] ";
  }
  std::string left;
  if (share > 0.001) left = ", " + duration_left(seconds / share - seconds) + " left";
  line_.draw(fmt::format("{}{} runs, {:.0f} runs/s, {} findings, {} schedules{}", bar, counts.runs,
                         static_cast<double>(counts.runs) / seconds, counts.findings,
                         counts.distinct_schedules, left));
}

ShrinkProgress::ShrinkProgress(const ShrinkOptions& options)
    : line_(options.progress),
      most_(options.for_duration == VirtualDuration::zero()
                ? fmt::format("of at most {}", options.runs)
                : fmt::format("in at most {}", duration_text(options.for_duration))) {}

void ShrinkProgress::show(const ShrinkResult& so_far) {
  if (!line_.is_due()) return;
  const RunCost& best = so_far.after;
  std::string what = "making the finding small";
  if (so_far.reproduced) {
    what += fmt::format(": run {} {}, {} preemptions (were {}), {} steps", so_far.runs, most_,
                        best.preemptions, so_far.before.preemptions, best.steps);
  }
  line_.draw(what);
}

}  // namespace orrery::detail
