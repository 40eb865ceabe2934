// Chance inside a program.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <orrery/sim_runtime/source_location.hpp>

namespace orrery {

namespace detail {
class Machine;
}

/// Draws that pass through the seam.  When shrunk, a draw moves towards its low end.
///
///     if (world.random().chance(1, 100)) drop(packet);
///     auto victim = world.random().between(0, 3);
class Random {
 public:
  explicit Random(detail::Machine& machine) : machine_(&machine) {}
  /// A whole number in [low, high].  Throws `UsageError` if low > high.
  std::uint64_t between(std::uint64_t low, std::uint64_t high,
                        SourceLocation where = SourceLocation::current());
  /// A whole number in [0, bound).  Throws `UsageError` for bound 0.
  std::uint64_t below(std::uint64_t bound, SourceLocation where = SourceLocation::current());
  /// True with likelihood numerator / denominator; the undisturbed answer is false.
  bool chance(std::uint32_t numerator, std::uint32_t denominator,
              SourceLocation where = SourceLocation::current());
  /// An index into `weights`, as likely as its weight.
  std::uint64_t weighted(std::span<const std::uint32_t> weights,
                         SourceLocation where = SourceLocation::current());

 private:
  detail::Machine* machine_;
};

/// A generator for the standard's distributions and for filling buffers (SplitMix64: Steele, Lea
/// and Flood 2014).  Seeded by the run's seed and the task; not part of the schedule.
class BulkRandom {
 public:
  using result_type = std::uint64_t;
  explicit BulkRandom(std::uint64_t* state) : state_(state) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

 private:
  std::uint64_t* state_;
};

}  // namespace orrery
