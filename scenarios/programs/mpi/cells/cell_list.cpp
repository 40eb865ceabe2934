#include "cell_list.hpp"

#include <algorithm>

namespace {

constexpr std::uint64_t side = std::uint64_t{1} << 32;

}  // namespace

CellList::CellList(const Space& space, const std::vector<Atom>& own,
                   const std::vector<Atom>& ghosts)
    : space_(space), own_(own) {
  std::size_t all = 1;
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::uint64_t wide = space.width(d, space.coordinate(d));
    // Where the strip would meet itself, the whole way round is one ring of cells.
    goes_around_[i] = wide + 2 * static_cast<std::uint64_t>(cut_off) >= side;
    const std::uint64_t span = goes_around_[i] ? side : wide + 2 * std::uint64_t{cut_off};
    cells_[i] = static_cast<int>(span / std::uint64_t{cut_off}) + (goes_around_[i] ? 0 : 1);
    all *= static_cast<std::size_t>(cells_[i]);
  }
  lists_.resize(all);
  for (const Atom& atom : own) add(atom);
  for (const Atom& atom : ghosts) add(atom);
}

int CellList::cell_of(const Atom& atom, int dimension) const {
  const auto i = static_cast<std::size_t>(dimension);
  const Place begin = space_.begin(dimension, space_.coordinate(dimension));
  const Place from = goes_around_[i] ? begin : begin - static_cast<Place>(cut_off);
  const auto cell = static_cast<int>((atom.place[i] - from) / static_cast<Place>(cut_off));
  return std::min(cell, cells_[i] - 1);
}

void CellList::add(const Atom& atom) {
  const int cell = cell_of(atom, 0) * cells_[1] + cell_of(atom, 1);
  lists_[static_cast<std::size_t>(cell)].push_back(&atom);
}

Force CellList::force_on_own(std::size_t i) const {
  const Atom& atom = own_[i];
  const std::array<int, dimensions> at{cell_of(atom, 0), cell_of(atom, 1)};
  // The rows and columns around, each once, though a ring may have less than three of them.
  std::array<std::vector<int>, dimensions> around;
  for (std::size_t d = 0; d < around.size(); ++d) {
    for (int step = -1; step <= 1; ++step) {
      int cell = at[d] + step;
      if (goes_around_[d]) cell = (cell + cells_[d]) % cells_[d];
      if (cell < 0 || cell >= cells_[d]) continue;
      if (std::find(around[d].begin(), around[d].end(), cell) == around[d].end()) {
        around[d].push_back(cell);
      }
    }
  }
  Force force;
  for (const int row : around[0]) {
    for (const int column : around[1]) {
      for (const Atom* const other : lists_[static_cast<std::size_t>(row * cells_[1] + column)]) {
        if (other->id != atom.id) force += force_on(atom, *other);
      }
    }
  }
  return force;
}
