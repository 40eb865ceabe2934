/* What one receive costs: receives ROUNDS messages, of itself or of all others.
 * receives self|others ROUNDS: prints nanoseconds a receive. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void receive_own(long rounds) {
  int rank = 0, in = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < rounds; ++i) {
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void receive_from_others(long rounds) {
  int rank = 0, size = 0, in = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (long i = 0; i < rounds; ++i) {
    if (rank > 0) {
      MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
      for (int j = 1; j < size; ++j)
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* Nobody runs far ahead: what is not received yet takes memory. */
    if (i % 1000 == 999) MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = argc > 2 ? atol(argv[2]) : 1000;
  const double start = MPI_Wtime();
  if (argc > 1 && strcmp(argv[1], "others") == 0)
    receive_from_others(rounds);
  else
    receive_own(rounds);
  const double seconds = MPI_Wtime() - start;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%.3f\n", seconds * 1e9 / (double)rounds);
  MPI_Finalize();
  return 0;
}
