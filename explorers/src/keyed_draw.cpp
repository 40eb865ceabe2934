#include "keyed_draw.hpp"

#include <numeric>

namespace orrery {
namespace {

/// Which entry a number in [0, sum of weights) falls into.
template <typename Weights, typename Weight>
std::size_t entry_at(std::uint64_t position, const Weights& entries, Weight weight) {
  std::size_t index = 0;
  for (const auto& entry : entries) {
    if (position < weight(entry)) return index;
    position -= weight(entry);
    ++index;
  }
  return index - 1;
}

}  // namespace

std::size_t KeyedDraw::weighted_index(const ChoicePoint& point) const {
  const auto weight = [](const Alternative& one) -> std::uint64_t { return one.weight; };
  std::uint64_t sum = 0;
  for (const Alternative& one : point.alternatives) sum += weight(one);
  const std::uint64_t drawn = bits(point.question);
  if (sum == 0 || sum == point.alternatives.size()) {
    return scale_to(drawn, point.alternatives.size());
  }
  return entry_at(scale_to(drawn, sum), point.alternatives, weight);
}

std::uint64_t KeyedDraw::value(const ValueQuestion& question) const {
  const std::uint64_t drawn = bits(question.question);
  const auto weight = [](std::uint32_t one) -> std::uint64_t { return one; };
  const std::uint64_t sum =
      std::accumulate(question.weights.begin(), question.weights.end(), std::uint64_t{0});
  if (sum > 0) {
    return question.low + entry_at(scale_to(drawn, sum), question.weights, weight);
  }
  const std::uint64_t count = question.high - question.low + 1;  // 0: all 2^64
  return question.low + (count == 0 ? drawn : scale_to(drawn, count));
}

}  // namespace orrery
