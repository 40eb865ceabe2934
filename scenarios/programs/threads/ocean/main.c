/* ocean [SIZE] [THREADS] [SWEEPS]: relaxes a grid with a team of threads, and once more alone. */
#include <stdio.h>
#include <stdlib.h>

#include "grid.h"
#include "solver.h"

static int argument(int argc, char** argv, int i, int otherwise) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < 1) {
    fprintf(stderr, "usage: ocean [SIZE] [THREADS] [SWEEPS], each at least 1\n");
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  const int size = argument(argc, argv, 1, 14);
  const int threads = argument(argc, argv, 2, 3);
  const int sweeps_max = argument(argc, argv, 3, 6);

  Grid grid = grid_generate(size);
  const Solution solution = solve(&grid, threads, sweeps_max);
  const unsigned long hash = grid_hash(&grid);
  Grid alone = grid_generate(size);
  const Solution expected = solve(&alone, 1, sweeps_max);
  const unsigned long expected_hash = grid_hash(&alone);
  printf("ocean of %d x %d: hash %016lx, %d sweeps, the last changed at most %.3g\n", size, size,
         hash, solution.sweeps, solution.change);
  grid_free(&grid);
  grid_free(&alone);

  if (hash != expected_hash || solution.sweeps != expected.sweeps) {
    printf("wrong: one thread gets %016lx after %d sweeps\n", expected_hash, expected.sweeps);
    return 1;
  }
  return 0;
}
