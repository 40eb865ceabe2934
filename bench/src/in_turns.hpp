// Several ways to do the same, timed in turn.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace orrery::bench {

/// A median with its 95 % interval, which asks nothing of the distribution.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Of these; at least one.
[[nodiscard]] Estimate estimate(std::vector<double> values);
/// `1.02 [0.99, 1.05]`, with so many decimals.
[[nodiscard]] std::string text(const Estimate& estimate, int decimals);

/// What each way took in each round.  The first way is what the others are compared with, round by
/// round.
class Turns {
 public:
  /// Takes `rounds` times, at least one; each round begins with the next way.
  Turns(int rounds, const std::vector<std::function<double()>>& ways);

  [[nodiscard]] Estimate first() const { return estimate(taken_.front()); }
  /// Of `way` divided by another one.
  [[nodiscard]] Estimate ratio(std::size_t way, std::size_t to = 0) const;
  /// Of `way` less the first.
  [[nodiscard]] Estimate difference(std::size_t way) const;

 private:
  std::vector<std::vector<double>> taken_;  ///< by way, then by round
};

}  // namespace orrery::bench
