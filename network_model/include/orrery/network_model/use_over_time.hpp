// How busy something was, and when: a profile of a run in bounded memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// Busy time in equal buckets from the start of a run on.  There are at most `buckets_max` of them:
/// when a run grows beyond the last, two become one, and each is twice as wide from then on.  So it
/// is as large after a second as after a day, and the same for the same run.
///
///     UseOverTime use;
///     use.add(VirtualTime::start(), VirtualTime::start() + 1500ns);
///     use.buckets()[0];   // 1 us: the first bucket is full
///     use.buckets()[1];   // 500 ns of 1 us
class UseOverTime {
 public:
  static constexpr std::size_t buckets_max = 64;
  static constexpr VirtualDuration first_bucket_width() { return std::chrono::microseconds(1); }

  /// Busy all the time from `from` to `to`.
  void add(VirtualTime from, VirtualTime to) { add(from, to, to - from); }
  /// Busy for a part of that time, spread evenly; or, of what serves several at once, for more.
  void add(VirtualTime from, VirtualTime to, VirtualDuration busy);

  [[nodiscard]] VirtualDuration bucket_width() const { return width_; }
  /// Up to the last one that is not empty.
  [[nodiscard]] std::span<const VirtualDuration> buckets() const { return buckets_; }
  /// The busy time of `count` equal parts of the time from the start to `end`.
  [[nodiscard]] std::vector<VirtualDuration> parts(std::size_t count, VirtualTime end) const;

 private:
  void widen();

  VirtualDuration width_ = first_bucket_width();
  std::vector<VirtualDuration> buckets_;
};

}  // namespace orrery
