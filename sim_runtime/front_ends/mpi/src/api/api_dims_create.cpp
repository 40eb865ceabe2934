// MPI 3.1, section 7.5.2: a grid whose dimensions are as close to each other as possible.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

/// The prime factors of a number, in descending order.
struct Primes {
  static constexpr int count_max = 30;  // 2 to the power of 31 is no int
  std::array<int, count_max> factors;
  int count = 0;

  explicit Primes(int number) {
    for (int prime = 2; prime <= number / prime; ++prime) {
      for (; number % prime == 0; number /= prime) factors[count++] = prime;
    }
    if (number > 1) factors[count++] = number;
    std::reverse(factors.begin(), factors.begin() + count);
  }
};

/// Divides `nodes` into fewer factors than it has prime ones, so that each of them is 2 or more:
/// in descending order, with the least difference between the first and the last one.  Of several
/// such divisions it takes the one with the smallest first factor, then second, and so on.
class Division {
 public:
  Division(int nodes, const Primes& primes, int places) : nodes_(nodes), places_(places) {
    divisors_[0] = 1;
    divisor_count_ = 1;
    for (int index = 0; index < primes.count;) {
      const int prime = primes.factors[index];
      const int before = divisor_count_;
      for (std::int64_t multiple = prime; index < primes.count && primes.factors[index] == prime;
           ++index, multiple *= prime) {
        for (int one = 0; one < before; ++one)
          divisors_[divisor_count_++] = static_cast<int>(divisors_[one] * multiple);
      }
    }
    std::sort(divisors_.begin(), divisors_.begin() + divisor_count_);
    choose(nodes, 0);
  }
  [[nodiscard]] int factor(int place) const { return best_[place]; }

 private:
  static constexpr int divisors_max = 1536;  // of an int: 2095133040 has so many

  /// `factor` to the power of `count`, or something above `bound`.
  static std::int64_t power(std::int64_t factor, int count, std::int64_t bound) {
    std::int64_t product = 1;
    for (int index = 0; index < count && product <= bound; ++index) product *= factor;
    return product;
  }
  /// No factor may be smaller in a division that is better than the best one so far.
  [[nodiscard]] int smallest() const { return std::max(2, chosen_[0] - difference_ + 1); }

  void choose(int rest, int place) {
    const int places_left = places_ - place;
    const int limit = place == 0 ? nodes_ : chosen_[place - 1];
    if (places_left == 1) {
      if (rest > limit || rest < smallest()) return;
      chosen_[place] = rest;
      best_ = chosen_;
      difference_ = chosen_[0] - rest;
      return;
    }
    for (int index = 1; index < divisor_count_ && divisors_[index] <= limit; ++index) {
      const int one = divisors_[index];
      if (rest % one != 0 || power(one, places_left, rest) < rest) continue;
      chosen_[place] = one;
      if (power(smallest(), places_left - 1, rest) > rest / one) return;
      choose(rest / one, place + 1);
    }
  }

  int nodes_;
  int places_;
  std::array<int, divisors_max> divisors_;
  int divisor_count_ = 0;
  std::array<int, Primes::count_max> chosen_{};
  std::array<int, Primes::count_max> best_{};
  int difference_ = std::numeric_limits<int>::max();
};

/// Puts factors of `nodes` where `dims` has zeros, of which there are `open`.
void fill(int nodes, int open, int* dims) {
  const Primes primes(nodes);
  const auto next = [&dims]() -> int& {
    while (*dims != 0) ++dims;
    return *dims;
  };
  if (open >= primes.count) {
    for (int place = 0; place < open; ++place)
      next() = place < primes.count ? primes.factors[place] : 1;
    return;
  }
  const Division division(nodes, primes, open);
  for (int place = 0; place < open; ++place) next() = division.factor(place);
}

}  // namespace

ORRERY_MPI_API int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  const Call call = ORRERY_CALL("MPI_Dims_create");
  if (nnodes <= 0)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument nnodes is %d, and must be at least 1 (MPI 3.1, section 7.5.2)",
                     nnodes);
  if (ndims < 0)
    return call.fail(nullptr, MPI_ERR_DIMS,
                     "argument ndims is %d, and must not be negative (MPI 3.1, section 7.5.2)",
                     ndims);
  if (ndims == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(dims, "dims")) return error;
  int open = 0;
  int rest = nnodes;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    if (dims[dimension] < 0)
      return call.fail(nullptr, MPI_ERR_DIMS,
                       "argument dims[%d] is %d, and must be 0 or a number of nodes (MPI 3.1, "
                       "section 7.5.2)",
                       dimension, dims[dimension]);
    if (dims[dimension] == 0) {
      ++open;
    } else if (rest % dims[dimension] == 0) {
      rest /= dims[dimension];
    } else {
      rest = 0;
    }
    if (rest == 0) break;
  }
  if (rest == 0 || (open == 0 && rest != 1))
    return call.fail(nullptr, MPI_ERR_DIMS,
                     "argument nnodes is %d, and cannot be divided among dimensions as those that "
                     "argument dims gives (MPI 3.1, section 7.5.2)",
                     nnodes);
  if (open == 0) return MPI_SUCCESS;
  fill(rest, open, dims);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Dims_create);
