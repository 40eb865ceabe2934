/* Each rank computes its slice of a table of squares; rank 0 puts the table together.
 *
 *     orrery cc -g -o wildcard_race buggy.c
 *     orrery explore -n 4 ./wildcard_race
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { SLICE = 4, MAX_RANKS = 64, RESULT_TAG = 1 };

static void compute_slice(int rank, int slice[SLICE]) {
  for (int i = 0; i < SLICE; ++i) {
    const int x = rank * SLICE + i;
    slice[i] = x * x;
  }
}

static void collect(int size, int table[]) {
  compute_slice(0, table);
  for (int rank = 1; rank < size; ++rank) {
    int* next = table + rank * SLICE;
    MPI_Recv(next, SLICE, MPI_INT, MPI_ANY_SOURCE, RESULT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void check(int size, const int table[]) {
  for (int x = 0; x < size * SLICE; ++x) {
    assert(table[x] == x * x); /* BUG: slices lie in the order in which they arrived */
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  assert(size <= MAX_RANKS);

  if (rank == 0) {
    int table[MAX_RANKS * SLICE];
    collect(size, table);
    check(size, table);
    printf("%d squares, the last is %d\n", size * SLICE, table[size * SLICE - 1]);
  } else {
    int slice[SLICE];
    compute_slice(rank, slice);
    MPI_Send(slice, SLICE, MPI_INT, 0, RESULT_TAG, MPI_COMM_WORLD);
  }

  MPI_Finalize();
  return 0;
}
