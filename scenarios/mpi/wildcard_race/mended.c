/* Each rank computes its slice of a table of squares; rank 0 puts the table together,
 * each slice where its sender's rank says.
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 4, MAX_RANKS = 64, RESULT_TAG = 1 };

static void compute_slice(int rank, int slice[SLICE]) {
  for (int i = 0; i < SLICE; ++i) {
    const int x = rank * SLICE + i;
    slice[i] = x * x;
  }
}

static void collect(int size, int table[]) {
  compute_slice(0, table);
  for (int received = 1; received < size; ++received) {
    int slice[SLICE];
    MPI_Status status;
    MPI_Recv(slice, SLICE, MPI_INT, MPI_ANY_SOURCE, RESULT_TAG, MPI_COMM_WORLD, &status);
    memcpy(table + status.MPI_SOURCE * SLICE, slice, sizeof slice);
  }
}

static void check(int size, const int table[]) {
  for (int x = 0; x < size * SLICE; ++x) {
    assert(table[x] == x * x);
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
