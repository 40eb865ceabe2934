/* The ranks agree on a leader: whoever has heard of no claim makes one. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { CLAIM_TAG = 1 };

/* All ranks send before any receives: their messages must have room. */
static char outbox[4096];

static void claim(int rank, int size) {
  for (int other = 0; other < size; ++other) {
    if (other != rank) MPI_Bsend(&rank, 1, MPI_INT, other, CLAIM_TAG, MPI_COMM_WORLD);
  }
}

static int elect(int rank, int size) {
  int leader = rank;
  int claimed = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, CLAIM_TAG, MPI_COMM_WORLD, &claimed, MPI_STATUS_IGNORE);
  if (claimed) {
    MPI_Recv(&leader, 1, MPI_INT, MPI_ANY_SOURCE, CLAIM_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    claim(rank, size);
  }
  return leader;
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Buffer_attach(outbox, sizeof outbox);

  const int leader = elect(rank, size);
  int lowest = 0;
  int highest = 0;
  MPI_Allreduce(&leader, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&leader, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  assert(lowest == highest); /* BUG: two claims have crossed */
  if (rank == 0) printf("the leader is rank %d\n", leader);

  void* buffer = NULL;
  int buffer_bytes = 0;
  MPI_Buffer_detach(&buffer, &buffer_bytes);
  MPI_Finalize();
  return 0;
}
