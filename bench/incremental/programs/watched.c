/* A ring that is watched: each rank passes a value on and back in each round, from neighbours that
   it names, and tells rank 0 now and then how far it is, which rank 0 takes from whoever comes
   first. So one receive in about 130 names no sender.

     watched ROUNDS                                                                               */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { to_right, to_left, progress };
enum { rounds_a_report = 50 };

static long pass(long value, int right, int left) {
  long from_left = 0;
  long from_right = 0;
  MPI_Sendrecv(&value, 1, MPI_LONG, right, to_right, &from_left, 1, MPI_LONG, left, to_right,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&from_left, 1, MPI_LONG, left, to_left, &from_right, 1, MPI_LONG, right, to_left,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return (value + 3 * from_left + 5 * from_right) % 1000003;
}

static void report(int round, int rank, int size) {
  if (rank != 0) {
    MPI_Send(&round, 1, MPI_INT, 0, progress, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < size; ++i) {
    int other = 0;
    MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, progress, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  long value = rank + 1;
  for (int round = 1; round <= rounds; ++round) {
    value = pass(value, (rank + 1) % size, (rank + size - 1) % size);
    if (round % rounds_a_report == 0) report(round, rank, size);
  }
  if (rank == 0) printf("watched: %d rounds, value %ld\n", rounds, value);
  MPI_Finalize();
  return 0;
}
