// How many ways are there to set N queens on a board of N x N, so that none attacks another?
#pragma once

#include <cstddef>
#include <vector>

#include "pool.hpp"

namespace steal {

class Queens {
 public:
  // The first `parallel_rows` rows are tried by tasks of their own.
  Queens(int size, int parallel_rows, std::size_t workers)
      : size_(size), parallel_rows_(parallel_rows), found_(workers) {}

  [[nodiscard]] Body task() {
    return [this](Worker& worker) { place(worker, 0, {}); };
  }
  [[nodiscard]] long solutions() const;

 private:
  // What attacks the squares of a row, a bit a column.
  struct Attacked {
    unsigned columns = 0;
    unsigned rising = 0;
    unsigned falling = 0;
  };
  struct alignas(64) Count {
    long value = 0;
  };

  void place(Worker& worker, int row, Attacked attacked);
  [[nodiscard]] long count(int row, Attacked attacked) const;
  [[nodiscard]] unsigned free_squares(Attacked attacked) const;
  static Attacked with_queen(Attacked attacked, unsigned square);

  int size_;
  int parallel_rows_;
  std::vector<Count> found_;  // one a worker
};

}  // namespace steal
