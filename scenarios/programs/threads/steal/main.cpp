// steal [SIZE] [THREADS] [PARALLEL_ROWS]: counts the ways to set SIZE queens.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "pool.hpp"
#include "queens.hpp"

namespace {

// Sloane's A000170.
constexpr std::array<long, 16> known{1,  1,   0,   0,    2,     10,    4,      40,
                                     92, 352, 724, 2680, 14200, 73712, 365596, 2279184};

int argument(int argc, char** argv, int i, int otherwise, int most) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < 1 || value > most) {
    std::fprintf(stderr, "usage: steal [SIZE] [THREADS] [PARALLEL_ROWS], at least 1, SIZE to 15\n");
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const int size = argument(argc, argv, 1, 6, static_cast<int>(known.size()) - 1);
  const int threads = argument(argc, argv, 2, 3, 1 << 20);
  const int parallel_rows = argument(argc, argv, 3, 2, size);
  steal::Pool pool(static_cast<std::size_t>(threads));
  steal::Queens queens(size, parallel_rows, pool.size());
  pool.run(queens.task());
  std::printf("steal: %ld ways to set %d queens\n", queens.solutions(), size);
  if (queens.solutions() != known[static_cast<std::size_t>(size)]) {
    std::printf("wrong: there are %ld\n", known[static_cast<std::size_t>(size)]);
    return 1;
  }
  return 0;
}
