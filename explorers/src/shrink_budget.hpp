// How many runs, or how much time, there are to make a run small.
#pragma once

#include <algorithm>
#include <cstdint>

#include "shrinker.hpp"
#include "wall_clock.hpp"

namespace orrery::detail {

/// In runs, or in wall-clock time where that was given.
class ShrinkBudget {
 public:
  explicit ShrinkBudget(const ShrinkOptions& options)
      : is_in_time_(options.for_duration != VirtualDuration::zero()),
        whole_(is_in_time_ ? nanoseconds(options.for_duration) : options.runs) {}

  /// What is left of it, up to some point.
  class Part {
   public:
    [[nodiscard]] bool has_some() const { return budget_.used() < end_; }

   private:
    friend ShrinkBudget;
    Part(const ShrinkBudget& budget, std::uint64_t end) : budget_(budget), end_(end) {}
    const ShrinkBudget& budget_;
    std::uint64_t end_;
  };
  [[nodiscard]] Part all() const { return {*this, whole_}; }
  [[nodiscard]] Part half() const { return part(2); }
  /// The n-th part of it.
  [[nodiscard]] Part part(std::uint64_t n) const {
    const std::uint64_t now = used();
    return {*this, now + (whole_ - std::min(whole_, now)) / n};
  }

  void note_run() { ++runs_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  [[nodiscard]] static std::uint64_t nanoseconds(VirtualDuration duration) {
    constexpr std::int64_t ps_per_ns = 1000;
    return static_cast<std::uint64_t>(duration.picoseconds() / ps_per_ns);
  }
  [[nodiscard]] std::uint64_t used() const {
    return is_in_time_ ? static_cast<std::uint64_t>(since_start_.elapsed_ns()) : runs_;
  }

  bool is_in_time_;
  std::uint64_t whole_;
  std::uint64_t runs_ = 0;
  Stopwatch since_start_;
};

}  // namespace orrery::detail
