#include "queens.hpp"

namespace steal {

unsigned Queens::free_squares(Attacked attacked) const {
  return ~(attacked.columns | attacked.rising | attacked.falling) & ((1U << size_) - 1);
}

Queens::Attacked Queens::with_queen(Attacked attacked, unsigned square) {
  return {attacked.columns | square, (attacked.rising | square) << 1,
          (attacked.falling | square) >> 1};
}

long Queens::count(int row, Attacked attacked) const {
  if (row == size_) return 1;
  long found = 0;
  for (unsigned left = free_squares(attacked); left != 0; left &= left - 1) {
    found += count(row + 1, with_queen(attacked, left & -left));
  }
  return found;
}

void Queens::place(Worker& worker, int row, Attacked attacked) {
  if (row >= parallel_rows_ || row == size_) {
    found_[worker.number()].value += count(row, attacked);
    return;
  }
  for (unsigned left = free_squares(attacked); left != 0; left &= left - 1) {
    const Attacked next = with_queen(attacked, left & -left);
    worker.spawn([this, row, next](Worker& whoever) { place(whoever, row + 1, next); });
  }
}

long Queens::solutions() const {
  long all = 0;
  for (const Count& count : found_) all += count.value;
  return all;
}

}  // namespace steal
