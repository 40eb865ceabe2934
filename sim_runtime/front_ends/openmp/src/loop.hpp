// How the iterations of one loop are dealt out.
#pragma once

#include <cstdint>

#include "settings.hpp"

namespace orrery::openmp {

/// Iterations by their number, from the first, 0: `[begin, end)`.
struct Chunk {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The iterations of a loop and who gets which.  Numbers of iterations, not values of the loop's
/// variable: so signed and unsigned loops, up and down, are one thing.
class Loop {
 public:
  Loop() = default;
  /// `chunk` 0 with `fixed`: one part for each thread.
  Loop(std::uint64_t iterations, Schedule schedule, std::uint64_t chunk, int threads);

  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  [[nodiscard]] Schedule schedule() const { return schedule_; }
  /// Does it depend on who comes first?
  [[nodiscard]] bool is_contended() const { return schedule_ != Schedule::fixed; }
  /// Of a loop with a fixed schedule: the part number `trip` of a thread.  False: it has no more.
  [[nodiscard]] bool fixed_part(int thread, std::uint64_t trip, Chunk& part) const;
  /// Of any other: what is next for whoever asks.  False: nothing is left.
  [[nodiscard]] bool take(Chunk& part);

 private:
  std::uint64_t iterations_ = 0;
  Schedule schedule_ = Schedule::fixed;
  std::uint64_t chunk_ = 0;
  std::uint64_t threads_ = 1;
  std::uint64_t taken_ = 0;
};

/// How often `for (i = start; i < end; i += increment)` (or `>` for a negative one) goes round.
[[nodiscard]] std::uint64_t iterations_of(long start, long end, long increment);
[[nodiscard]] std::uint64_t iterations_of(bool is_up, unsigned long long start,
                                          unsigned long long end, unsigned long long increment);

}  // namespace orrery::openmp
