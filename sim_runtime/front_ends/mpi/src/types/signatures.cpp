#include "signatures.hpp"

namespace orrery::mpi {
namespace {

constexpr std::uint64_t modulus = (std::uint64_t{1} << 61U) - 1;
constexpr std::uint64_t base = 0x12f0a3c5d7e9b481U % modulus;

__extension__ using Wide = unsigned __int128;

std::uint64_t reduced(std::uint64_t value) {
  return value >= modulus ? value - modulus : value;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const Wide wide = static_cast<Wide>(a) * b;
  const auto low = static_cast<std::uint64_t>(wide) & modulus;
  return reduced(low + static_cast<std::uint64_t>(wide >> 61U));
}

// Numbers that have nothing to do with each other (the finalizer of S. Vigna's splitmix64, 2015).
std::uint64_t symbol_of(Builtin basic) {
  std::uint64_t value = (static_cast<std::uint64_t>(basic) + 1) * 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return (value ^ (value >> 31U)) % modulus;
}

}  // namespace

ValueSequence sequence_of(Builtin basic) {
  return {1, symbol_of(basic), base};
}

ValueSequence joined(const ValueSequence& first, const ValueSequence& second) {
  return {first.values + second.values, reduced(product(first.hash, second.power) + second.hash),
          product(first.power, second.power)};
}

ValueSequence repeated(const ValueSequence& sequence, std::uint64_t times) {
  if (times == 1) return sequence;
  ValueSequence result;
  ValueSequence doubled = sequence;
  for (; times != 0; times >>= 1U) {
    if ((times & 1U) != 0) result = joined(result, doubled);
    if (times > 1) doubled = joined(doubled, doubled);
  }
  return result;
}

}  // namespace orrery::mpi
