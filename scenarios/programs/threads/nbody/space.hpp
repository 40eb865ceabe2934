// Bodies on a torus of cells.  All in whole numbers, so that sums do not depend on their order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace nbody {

struct Vector {
  std::int64_t x = 0;
  std::int64_t y = 0;

  Vector& operator+=(Vector other) {
    x += other.x;
    y += other.y;
    return *this;
  }
  Vector& operator-=(Vector other) {
    x -= other.x;
    y -= other.y;
    return *this;
  }
};

struct Body {
  Vector position;
  Vector speed;
  Vector force;
  int moves = 0;         // steps that it has done
  Body* next = nullptr;  // in its cell
};

struct Cell {
  std::mutex mutex;       // its list, and the forces on its bodies
  Body* first = nullptr;  // in no order
};

class Space {
 public:
  // `side` cells along each side, at least 3.
  Space(int side, int bodies);

  [[nodiscard]] int cells() const { return side_ * side_; }
  // Each pair of cells that touch is one of a cell and one of these, once.
  [[nodiscard]] std::array<int, 5> near_half(int cell) const;

  // Adds the forces between the bodies of two cells (or within one) to them; returns the pairs.
  long interact(int one, int other);
  // Moves the bodies of a cell that have done fewer than `step` steps.
  void move(int cell, int step);

  // How many bodies are in the cell of their place; fewer than there are if some got lost.
  [[nodiscard]] long count_in_place() const;
  [[nodiscard]] Vector momentum() const;
  [[nodiscard]] std::uint64_t hash() const;

  static constexpr std::int64_t cell_size = 4096;

 private:
  [[nodiscard]] int cell_of(Vector position) const;
  [[nodiscard]] std::int64_t wrap(std::int64_t value) const;
  [[nodiscard]] Vector force(const Body& on, const Body& from) const;
  void insert(Body& body);
  // Takes those that leave out of the list of their cell, and gives them as a list.
  Body* take_leaving(int cell, int step);

  int side_;
  std::vector<Body> bodies_;
  std::unique_ptr<Cell[]> cells_;
};

}  // namespace nbody
