#include <numeric>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/random.hpp>

#include "machine.hpp"
#include "mix.hpp"

namespace orrery {
namespace {

std::uint64_t draw(detail::Machine& machine, std::uint64_t low, std::uint64_t high,
                   std::span<const std::uint32_t> weights, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::random;
  operation.where = &where;
  machine.announce(operation);
  if (machine.is_unwinding()) return low;
  const std::uint64_t answer = machine.choose_value(ChoiceKind::value, low, high, weights);
  machine.told(operation, {}, answer);
  return answer;
}

}  // namespace

std::uint64_t Random::between(std::uint64_t low, std::uint64_t high, SourceLocation where) {
  if (low > high) throw UsageError("an empty range to draw from", "Random::between", "low <= high");
  return draw(*machine_, low, high, {}, where);
}

std::uint64_t Random::below(std::uint64_t bound, SourceLocation where) {
  if (bound == 0) throw UsageError("an empty range to draw from", "Random::below", "bound > 0");
  return draw(*machine_, 0, bound - 1, {}, where);
}

bool Random::chance(std::uint32_t numerator, std::uint32_t denominator, SourceLocation where) {
  if (denominator == 0 || numerator > denominator) {
    throw UsageError("a likelihood outside 0..1", "Random::chance", "numerator <= denominator > 0");
  }
  const std::uint32_t weights[] = {denominator - numerator, numerator};
  return draw(*machine_, 0, 1, weights, where) == 1;
}

std::uint64_t Random::weighted(std::span<const std::uint32_t> weights, SourceLocation where) {
  if (std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}) == 0) {
    throw UsageError("no weight to draw by", "Random::weighted", "give at least one weight > 0");
  }
  return draw(*machine_, 0, weights.size() - 1, weights, where);
}

BulkRandom::result_type BulkRandom::operator()() {
  *state_ += 0x9e3779b97f4a7c15U;
  return detail::mix(*state_, 0);
}

}  // namespace orrery
