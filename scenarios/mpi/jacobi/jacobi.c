/* Heat in a square plate: Jacobi iterations on rows that are spread over the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, STEPS = 40 };

typedef double Row[SIDE];

/* Rank r owns the rows from first_row(r) up to first_row(r + 1); the plate's edges are fixed. */
static int first_row(int rank, int size) {
  return 1 + (SIDE - 2) * rank / size;
}

static void start(Row* plate, int rows, int top) {
  memset(plate, 0, (size_t)rows * sizeof(Row));
  for (int row = 0; row < rows; ++row) plate[row][0] = 1.0 + top + row;
}

/* One step for rows 1 to `rows`; returns the sum of squares of the changes. */
static double relax(Row* next, Row* plate, int rows) {
  double change = 0;
  for (int row = 1; row <= rows; ++row) {
    for (int column = 1; column < SIDE - 1; ++column) {
      next[row][column] = 0.25 * (plate[row - 1][column] + plate[row + 1][column] +
                                  plate[row][column - 1] + plate[row][column + 1]);
      const double difference = next[row][column] - plate[row][column];
      change += difference * difference;
    }
  }
  memcpy(plate[1], next[1], (size_t)rows * sizeof(Row));
  return change;
}

static void swap_halos(Row* plate, int rows, int up, int down) {
  MPI_Sendrecv(plate[1], SIDE, MPI_DOUBLE, up, 0, plate[rows + 1], SIDE, MPI_DOUBLE, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(plate[rows], SIDE, MPI_DOUBLE, down, 1, plate[0], SIDE, MPI_DOUBLE, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The whole plate at rank 0; each rank has a block of rows of its own size. */
static void collect(Row* whole, Row* plate, int rows, int size) {
  int* counts = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  MPI_Datatype row_type;
  MPI_Type_contiguous(SIDE, MPI_DOUBLE, &row_type);
  MPI_Type_commit(&row_type);
  for (int rank = 0; rank < size; ++rank) {
    places[rank] = first_row(rank, size);
    counts[rank] = first_row(rank + 1, size) - places[rank];
  }
  MPI_Gatherv(plate[1], rows, row_type, whole, counts, places, row_type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&row_type);
  free(counts);
  free(places);
}

/* Compares with the same computation by one rank alone. */
static int differs(Row* whole) {
  static Row alone[SIDE];
  static Row next[SIDE];
  start(alone, SIDE, 0);
  start(next, SIDE, 0);
  for (int step = 0; step < STEPS; ++step) relax(next, alone, SIDE - 2);
  return memcmp(whole[1], alone[1], (SIDE - 2) * sizeof(Row)) != 0;
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = first_row(rank + 1, size) - first_row(rank, size);
  if (rows == 0) {
    fprintf(stderr, "jacobi: at most %d ranks, please\n", SIDE - 2);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int up = rank == 0 ? MPI_PROC_NULL : rank - 1;
  const int down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;

  Row* plate = malloc((size_t)(rows + 2) * sizeof(Row));
  Row* next = malloc((size_t)(rows + 2) * sizeof(Row));
  start(plate, rows + 2, first_row(rank, size) - 1);
  start(next, rows + 2, first_row(rank, size) - 1);
  double first_change = 0;
  double change = 0;
  for (int step = 0; step < STEPS; ++step) {
    swap_halos(plate, rows, up, down);
    const double mine = relax(next, plate, rows);
    MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (step == 0) first_change = change;
  }

  static Row whole[SIDE];
  collect(whole, plate, rows, size);
  if (rank == 0) {
    failed = differs(whole) || !(change < first_change);
    printf("jacobi: %s\n", failed ? "WRONG" : "the same plate as with one rank");
  }
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  free(plate);
  free(next);
  MPI_Finalize();
  return failed;
}
