#include <algorithm>

#include <orrery/network_model/use_over_time.hpp>

namespace orrery {
namespace {

/// `whole * part / all`, rounded down.
std::int64_t share(VirtualDuration whole, std::int64_t part, std::int64_t all) {
  const detail::Wide product = static_cast<detail::Wide>(whole.picoseconds()) * part;
  return static_cast<std::int64_t>(product / all);
}

/// Calls `put(bucket, busy)` for each bucket of this width that lies between the two dates.  The
/// pieces add up to `busy`, whatever is rounded.
template <typename Put>
void spread(std::int64_t from, std::int64_t to, VirtualDuration busy, std::int64_t width, Put put) {
  std::int64_t given = 0;
  for (std::int64_t date = from; date < to;) {
    const std::int64_t bucket = date / width;
    // Not (bucket + 1) * width, which may be too large.
    date = to - date > width - date % width ? date + (width - date % width) : to;
    const std::int64_t until_now = share(busy, date - from, to - from);
    put(static_cast<std::size_t>(bucket), VirtualDuration::from_picoseconds(until_now - given));
    given = until_now;
  }
}

}  // namespace

void UseOverTime::add(VirtualTime from, VirtualTime to, VirtualDuration busy) {
  if (from >= to) return;
  const std::int64_t last = to.picoseconds() - 1;
  while (last / width_.picoseconds() >= static_cast<std::int64_t>(buckets_max)) widen();
  const auto needed = static_cast<std::size_t>(last / width_.picoseconds()) + 1;
  if (buckets_.size() < needed) buckets_.resize(needed);
  spread(from.picoseconds(), to.picoseconds(), busy, width_.picoseconds(),
         [this](std::size_t bucket, VirtualDuration piece) { buckets_[bucket] += piece; });
}

void UseOverTime::widen() {
  width_ = width_ * 2;
  for (std::size_t i = 0; i < buckets_.size(); i += 2) {
    const VirtualDuration second = i + 1 < buckets_.size() ? buckets_[i + 1] : VirtualDuration();
    buckets_[i / 2] = buckets_[i] + second;
  }
  buckets_.resize((buckets_.size() + 1) / 2);
}

std::vector<VirtualDuration> UseOverTime::parts(std::size_t count, VirtualTime end) const {
  std::vector<VirtualDuration> result(count);
  if (end <= VirtualTime::start()) return result;
  const auto parts = static_cast<std::int64_t>(count);
  const std::int64_t width = end.picoseconds() / parts + (end.picoseconds() % parts != 0 ? 1 : 0);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const std::int64_t from = static_cast<std::int64_t>(i) * width_.picoseconds();
    // The last bucket may reach beyond the end: what is in it happened before.
    const std::int64_t to = std::min(from + width_.picoseconds(), end.picoseconds());
    if (from >= to) continue;
    spread(from, to, buckets_[i], width,
           [&result](std::size_t part, VirtualDuration piece) { result[part] += piece; });
  }
  return result;
}

}  // namespace orrery
