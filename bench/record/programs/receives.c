/* What one receive costs, and the end: receives ROUNDS messages, of itself or of all others.
 * receives self|others ROUNDS: prints nanoseconds of processor time a receive, and those that a
 * recorder takes of MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_outside_mpi(double begin, double end); /* end_watch.c */

/* Of this thread: what else runs on the machine counts less. */
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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
  const double start = processor_seconds();
  if (argc > 1 && strcmp(argv[1], "others") == 0)
    receive_from_others(rounds);
  else
    receive_own(rounds);
  const double seconds = processor_seconds() - start;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double end = processor_seconds();
  MPI_Finalize();
  const double end_seconds = seconds_outside_mpi(end, processor_seconds());
  if (rank == 0) printf("%.3f %.0f\n", seconds * 1e9 / (double)rounds, end_seconds * 1e9);
  return 0;
}
