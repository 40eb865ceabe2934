// Which atoms lie in which cell of a rank's box and of the strip around it.
#pragma once

#include <vector>

#include "force.hpp"
#include "space.hpp"

class CellList {
 public:
  CellList(const Space& space, const std::vector<Atom>& own, const std::vector<Atom>& ghosts);

  /// What acts on own atom `i`.
  [[nodiscard]] Force force_on_own(std::size_t i) const;

 private:
  [[nodiscard]] int cell_of(const Atom& atom, int dimension) const;
  void add(const Atom& atom);

  const Space& space_;
  const std::vector<Atom>& own_;
  std::array<int, dimensions> cells_{};  ///< in each direction, the strip's included
  std::array<bool, dimensions> goes_around_{};
  std::vector<std::vector<const Atom*>> lists_;
};
