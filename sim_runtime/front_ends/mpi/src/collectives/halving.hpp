// R. Rabenseifner's way to reduce much data: each rank reduces a part of it.
#pragma once

#include "partial_results.hpp"

namespace orrery::mpi {

/// Recursive halving of a reduction's elements, and the way back.
///
/// R. Rabenseifner, Optimization of Collective Reduction Operations, 2004.  In step k a rank
/// exchanges with the one 2^k away: half of what it still works on against the other half.  The
/// near ones come first, so that what is combined was always made by neighbouring runs of ranks:
/// the order is kept, which the variant of Thakur, Rabenseifner and Gropp 2005 (far ones first)
/// only needs for operations that do not commute.  The elements that a rank ends with are therefore
/// those of the part whose number is the bits of its index in reverse.
///
/// Where the ranks are no power of two, the first ones do the work in pairs: one of each pair stays
/// and has the elements of both.
class Halving {
 public:
  /// `bounds` has room for `parts(ranks) + 1`, and is filled in by `divide` or by the caller: part
  /// i is made of the elements from `bounds[i]` to `bounds[i + 1]`.  `root` stays; -1: any will do.
  Halving(const Collective& collective, std::int32_t root, std::size_t* bounds);

  static std::int32_t parts(std::int32_t ranks);
  /// Parts of equal size.
  void divide(std::size_t elements) const;

  [[nodiscard]] bool stays() const { return index_ >= 0; }
  /// The other one of the pair, or -1.
  [[nodiscard]] std::int32_t partner() const { return partner_; }
  [[nodiscard]] std::int32_t parts() const { return parts_; }
  [[nodiscard]] std::int32_t rank_of(std::int32_t index) const;
  /// The first of the ranks that `index` works for, and how many these are.
  [[nodiscard]] std::int32_t first_rank(std::int32_t index) const;
  [[nodiscard]] std::int32_t rank_count(std::int32_t index) const { return index < pairs_ ? 2 : 1; }
  /// The part that the rank with this index ends with, and back.
  [[nodiscard]] std::int32_t reversed(std::int32_t index) const;
  /// What this rank ends with.
  [[nodiscard]] Elements own_part() const;

  /// Takes in what the partner has, or gives it what the rank itself has.
  void pair_up(PartialResult& partial) const;
  /// Reduces: of all elements to those of the own part.
  void reduce_scatter(PartialResult& partial) const;
  /// The way back, to all elements at all that stay.
  void all_gather(PartialResult& partial) const;
  /// The way back to the root alone.
  void gather(PartialResult& partial) const;

 private:
  struct Step;
  [[nodiscard]] Step step(std::int32_t bit) const;

  const Collective& collective_;
  std::int32_t root_;
  std::size_t* bounds_;
  std::int32_t parts_;
  std::int32_t pairs_;
  std::int32_t index_ = -1;
  std::int32_t partner_ = -1;
};

}  // namespace orrery::mpi
