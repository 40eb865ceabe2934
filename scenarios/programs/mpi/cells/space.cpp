#include "space.hpp"

#include <algorithm>

#include "force.hpp"

namespace {

constexpr std::uint64_t side = std::uint64_t{1} << 32;

}  // namespace

Space::Space(MPI_Comm comm) {
  int size = 0;
  const std::array<int, dimensions> periodic{1, 1};
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, dimensions, ranks_.data());
  MPI_Cart_create(comm, dimensions, ranks_.data(), periodic.data(), 1, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Cart_coords(comm_, rank_, dimensions, coords_.data());
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const std::array<int, dimensions> coords{coords_[0] + y, coords_[1] + x};
      int neighbour = 0;
      MPI_Cart_rank(comm_, coords.data(), &neighbour);
      if (neighbour != rank_) neighbours_.push_back(neighbour);
    }
  }
  std::sort(neighbours_.begin(), neighbours_.end());
  neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
}

int Space::coordinate(int dimension) const {
  return coords_[static_cast<std::size_t>(dimension)];
}

Place Space::begin(int dimension, int coordinate) const {
  const auto ranks = static_cast<std::uint64_t>(ranks_[static_cast<std::size_t>(dimension)]);
  return static_cast<Place>(side * static_cast<std::uint64_t>(coordinate) / ranks);
}

std::uint64_t Space::width(int dimension, int coordinate) const {
  const auto ranks = static_cast<std::uint64_t>(ranks_[static_cast<std::size_t>(dimension)]);
  const auto at = static_cast<std::uint64_t>(coordinate);
  return side * (at + 1) / ranks - side * at / ranks;
}

int Space::owner(const std::array<Place, dimensions>& place) const {
  std::array<int, dimensions> coords{};
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const auto ranks = static_cast<std::uint64_t>(ranks_[i]);
    int at = static_cast<int>(place[i] * ranks / side);
    // Rounding may have put it one box too low.
    if (place[i] - begin(d, at) >= width(d, at)) ++at;
    coords[i] = at;
  }
  int rank = 0;
  MPI_Cart_rank(comm_, coords.data(), &rank);
  return rank;
}

bool Space::is_near(const std::array<Place, dimensions>& place, int rank) const {
  std::array<int, dimensions> coords{};
  MPI_Cart_coords(comm_, rank, dimensions, coords.data());
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::uint64_t wide = width(d, coords[i]);
    if (wide + 2 * static_cast<std::uint64_t>(cut_off) >= side) continue;
    // Within the box or at most the cut-off away from it, going around.
    const Place from = begin(d, coords[i]) - static_cast<Place>(cut_off);
    if (static_cast<Place>(place[i] - from) >= wide + 2 * static_cast<std::uint64_t>(cut_off)) {
      return false;
    }
  }
  return true;
}

bool Space::fits() const {
  for (const int ranks : ranks_) {
    if (ranks > 1 && side / static_cast<std::uint64_t>(ranks) < std::uint64_t{cut_off})
      return false;
  }
  return true;
}
