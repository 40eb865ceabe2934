/* Pairs of ranks swap their boundary rows, as neighbours in a grid do after each step. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* 80 KB: more than an MPI library buffers, so that a send waits for its receive. */
enum { CELLS = 10000, ROW_TAG = 1 };

static double* new_row(double value) {
  double* row = malloc(CELLS * sizeof *row);
  for (int i = 0; i < CELLS; ++i) row[i] = value;
  return row;
}

static void swap_rows(int partner, const double* mine, double* theirs) {
  /* Sends and receives at once, whichever the partner does first. */
  MPI_Sendrecv(mine, CELLS, MPI_DOUBLE, partner, ROW_TAG, theirs, CELLS, MPI_DOUBLE, partner,
               ROW_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int partner = rank ^ 1; /* 0 with 1, 2 with 3, ... */
  if (partner < size) {
    double* mine = new_row(rank);
    double* theirs = new_row(-1);
    swap_rows(partner, mine, theirs);
    for (int i = 0; i < CELLS; ++i) assert(theirs[i] == partner);
    printf("rank %d has the row of rank %d\n", rank, partner);
    free(mine);
    free(theirs);
  }

  MPI_Finalize();
  return 0;
}
