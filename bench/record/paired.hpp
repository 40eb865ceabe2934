// Two ways to do the same, timed in turn.
#pragma once

#include <functional>
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

/// Of `measured / bare` over so many pairs; every other pair begins with the other one.
struct PairedRatios {
  std::vector<double> ratios;
  std::vector<double> differences;  ///< `measured - bare`
  std::vector<double> bare;
};
[[nodiscard]] PairedRatios in_pairs(int pairs, const std::function<double()>& bare,
                                    const std::function<double()>& measured);

}  // namespace orrery::bench
