#include "loop.hpp"

#include <algorithm>

namespace orrery::openmp {

Loop::Loop(std::uint64_t iterations, Schedule schedule, std::uint64_t chunk, int threads)
    : iterations_(iterations),
      schedule_(schedule == Schedule::automatic ? Schedule::fixed : schedule),
      chunk_(chunk),
      threads_(static_cast<std::uint64_t>(threads)) {
  if (schedule == Schedule::automatic) chunk_ = 0;
  if (schedule_ != Schedule::fixed && chunk_ == 0) chunk_ = 1;
}

bool Loop::fixed_part(int thread, std::uint64_t trip, Chunk& part) const {
  const auto number = static_cast<std::uint64_t>(thread);
  if (chunk_ == 0) {
    if (trip > 0) return false;
    // The first threads get one more, as the code does that compilers write for this schedule.
    const std::uint64_t share = iterations_ / threads_;
    const std::uint64_t more = iterations_ % threads_;
    part.begin = number * share + std::min(number, more);
    part.end = part.begin + share + (number < more ? 1 : 0);
    return part.begin < part.end;
  }
  const std::uint64_t begin = (trip * threads_ + number) * chunk_;
  if (begin >= iterations_) return false;
  part = {begin, std::min(begin + chunk_, iterations_)};
  return true;
}

bool Loop::take(Chunk& part) {
  const std::uint64_t left = iterations_ - taken_;
  if (left == 0) return false;
  std::uint64_t size = chunk_;
  if (schedule_ == Schedule::guided) size = std::max(chunk_, (left + threads_ - 1) / threads_);
  part = {taken_, taken_ + std::min(size, left)};
  taken_ = part.end;
  return true;
}

std::uint64_t iterations_of(long start, long end, long increment) {
  const auto from = static_cast<std::uint64_t>(start);
  const auto to = static_cast<std::uint64_t>(end);
  if (increment > 0) {
    const auto by = static_cast<std::uint64_t>(increment);
    return start < end ? (to - from - 1) / by + 1 : 0;
  }
  const std::uint64_t by = 0 - static_cast<std::uint64_t>(increment);
  return start > end ? (from - to - 1) / by + 1 : 0;
}

std::uint64_t iterations_of(bool is_up, unsigned long long start, unsigned long long end,
                            unsigned long long increment) {
  if (is_up) return start < end ? (end - start - 1) / increment + 1 : 0;
  const unsigned long long by = 0 - increment;
  return start > end ? (start - end - 1) / by + 1 : 0;
}

}  // namespace orrery::openmp
