// Which dates a clock shows to a program that is recorded.
#pragma once

#include <algorithm>
#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::on_hardware {

/// Dates are kept as steps from one to the next, so a program that reads a clock all the time, to
/// wait or in a tight loop, would write down the noise of each reading.  In such a burst the clock
/// goes on by the usual step as long as that is at most `leeway_ns` behind the truth.  Never ahead
/// of it, but for one thing: no two dates are equal.
class DateSteps {
 public:
  static constexpr std::int64_t leeway_ns = 1000;

  /// What the program is to see at `date_ns`.
  std::int64_t show(std::int64_t date_ns, const rank_spool::ClockRun& before) {
    const std::int64_t step = date_ns - before.date_ns;
    const std::int64_t gap = date_ns - last_ns_;
    last_ns_ = date_ns;
    if (step <= 0 && gap >= 0 && before.count > 0) return before.date_ns + 1;  // it stands still
    if (step <= 0 || gap > burst_step_max_ns) {
      calm_ = 0;
      begin_ns_ += gap;  // it is no part of the burst
      return date_ns;
    }
    if (reads_ == 0) begin_ns_ = date_ns - gap;
    ++reads_;
    if (++calm_ < calm_min || reads_ < reads_min) return date_ns;
    const auto is_near = [&](std::int64_t usual) {
      const std::int64_t lag = step - usual;
      return usual > 0 && lag >= 0 && lag < leeway_ns;
    };
    if (is_near(before.step_ns)) return before.date_ns + before.step_ns;
    const std::int64_t mean = (date_ns - begin_ns_) / reads_;
    if (is_near(mean)) return before.date_ns + mean;
    return std::max(before.date_ns + 1, date_ns - leeway_ns / 2);  // room on both sides
  }

 private:
  static constexpr std::int64_t burst_step_max_ns = 1000;
  static constexpr std::int64_t reads_min = 64;
  static constexpr std::int64_t calm_min = 8;  // since the last gap
  std::int64_t begin_ns_ = 0;
  std::int64_t last_ns_ = 0;  // what the clock had, not what was shown
  std::int64_t reads_ = 0;
  std::int64_t calm_ = 0;
};

}  // namespace orrery::on_hardware
