/* Messages at a rate, from all other ranks to rank 0, which takes them from any source.
 * rates stream|farm MESSAGES PER_SECOND: each sends so many, after pauses that are drawn (mean: as
 * the rate of all of them says; 0: no pauses). stream: one after the other; farm: each waits for
 * the answer to its last one first. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Exponential: others may come at any time. */
static double drawn_pause(uint64_t* state, double mean) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return -mean * log(1.0 - (double)(*state >> 11) / 9007199254740992.0);
}

static void rest(double seconds) {
  struct timespec time;
  time.tv_sec = (time_t)seconds;
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int is_farm = strcmp(argv[1], "farm") == 0;
  const int messages = atoi(argv[2]);
  const double rate = atof(argv[3]);
  const double mean = rate > 0 ? (double)(size - 1) / rate : 0;
  uint64_t state = (uint64_t)rank * 1000003U + 17U;
  for (int i = 0; rank == 0 && i < messages * (size - 1); ++i) {
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (is_farm) MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
  for (int i = 0; rank > 0 && i < messages; ++i) {
    if (mean > 0) rest(drawn_pause(&state, mean));
    MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is_farm) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
