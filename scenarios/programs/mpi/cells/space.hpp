// How the space is dealt out to ranks.
#pragma once

#include <vector>

#include "atom.hpp"

/// A rank that shares a side or a corner with us.
struct Side {
  int rank = 0;
  std::array<int, dimensions> direction{};
};

/// One rank's box, and who is around it.
class Space {
 public:
  explicit Space(MPI_Comm comm);
  ~Space() { MPI_Comm_free(&comm_); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  /// Each other rank around us once, whatever sides we share.
  [[nodiscard]] const std::vector<int>& neighbours() const { return neighbours_; }
  /// Who has the box that a place is in.
  [[nodiscard]] int owner(const std::array<Place, dimensions>& place) const;
  /// Whether an atom at `place` may act on one in the box of `rank`.
  [[nodiscard]] bool is_near(const std::array<Place, dimensions>& place, int rank) const;
  /// Whether boxes are large enough: an atom acts on none beyond the next box.
  [[nodiscard]] bool fits() const;
  /// The first place of a box, and how wide it is.
  [[nodiscard]] Place begin(int dimension, int coordinate) const;
  [[nodiscard]] std::uint64_t width(int dimension, int coordinate) const;
  [[nodiscard]] int coordinate(int dimension) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::array<int, dimensions> ranks_{};
  std::array<int, dimensions> coords_{};
  std::vector<int> neighbours_;
};
