#include "paired.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace orrery::bench {

Estimate estimate(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  const double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
  // How many of n values lie below the median: n/2 on average, sqrt(n)/2 around it.
  constexpr double normal_95 = 1.96;
  const double half_width = normal_95 * std::sqrt(static_cast<double>(count)) / 2;
  const double first = std::floor((static_cast<double>(count) - 1) / 2 - half_width);
  const auto low = static_cast<std::size_t>(std::max(0.0, first));
  return {middle, values[low], values[count - 1 - low]};
}

PairedRatios in_pairs(int pairs, const std::function<double()>& bare,
                      const std::function<double()>& measured) {
  PairedRatios all;
  for (int i = 0; i < pairs; ++i) {
    const bool is_swapped = i % 2 != 0;
    const double first = is_swapped ? measured() : bare();
    const double second = is_swapped ? bare() : measured();
    const double plain = is_swapped ? second : first;
    const double other = is_swapped ? first : second;
    all.ratios.push_back(other / plain);
    all.differences.push_back(other - plain);
    all.bare.push_back(plain);
  }
  return all;
}

}  // namespace orrery::bench
