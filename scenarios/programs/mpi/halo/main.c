/* halo [EDGE] [STEPS] [CHECK]: diffusion on a periodic grid of EDGE^3 cells.  With CHECK (1), rank
   0 computes it all again by itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "exchange.h"
#include "grid.h"

static int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < least) {
    fprintf(stderr, "usage: halo [EDGE] [STEPS] [CHECK]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int edge = argument(argc, argv, 1, 6, 1);
  const int steps = argument(argc, argv, 2, 3, 0);
  const int has_check = argument(argc, argv, 3, 1, 0);

  Grid grid;
  if (!grid_create(&grid, edge, MPI_COMM_WORLD)) {
    fprintf(stderr, "halo: %d^3 cells are too few or too many for so many ranks\n", edge);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Exchange exchange;
  exchange_create(&exchange, &grid);
  grid_fill(&grid);
  const double sum_at_start = global_sum(&grid);
  long bytes = 0, all_bytes = 0;
  for (int step = 0; step < steps; ++step) {
    bytes += exchange_rims(&exchange, &grid);
    grid_step(&grid);
  }

  MPI_Reduce(&bytes, &all_bytes, 1, MPI_LONG, MPI_SUM, 0, grid.comm);
  const unsigned long hash = global_hash(&grid);
  const int keeps_sum = check_sum(&grid, sum_at_start);
  const long wrong = has_check ? check_cells(&grid, steps) : 0;
  const int rank = grid.rank;
  if (rank == 0) {
    printf("halo: %d^3 cells, %d steps: hash %016lx, %ld bytes of rims\n", edge, steps, hash,
           all_bytes);
    if (wrong > 0) printf("wrong: %ld cells differ from the serial computation\n", wrong);
    if (!keeps_sum) printf("wrong: the sum of the cells has changed\n");
  }
  exchange_free(&exchange);
  grid_free(&grid);
  MPI_Finalize();
  return wrong > 0 || !keeps_sum;
}
