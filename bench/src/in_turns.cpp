#include "in_turns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

std::string text(const Estimate& estimate, int decimals) {
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", estimate.median, decimals, estimate.low,
                     decimals, estimate.high, decimals);
}

Turns::Turns(int rounds, const std::vector<std::function<double()>>& ways) : taken_(ways.size()) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t way = (static_cast<std::size_t>(round) + i) % ways.size();
      taken_[way].push_back(ways[way]());
    }
  }
}

Estimate Turns::ratio(std::size_t way, std::size_t to) const {
  std::vector<double> ratios = taken_[way];
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= taken_[to][i];
  return estimate(std::move(ratios));
}

Estimate Turns::difference(std::size_t way) const {
  std::vector<double> differences = taken_[way];
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= taken_.front()[i];
  return estimate(std::move(differences));
}

}  // namespace orrery::bench
