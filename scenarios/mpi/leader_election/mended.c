/* The ranks agree on a leader: every rank bids, for itself or (if it has heard of
 * another bid) for nobody, waits for all bids, and follows the lowest claimant.
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { BID_TAG = 1 };

/* All ranks send before any receives: their messages must have room. */
static char outbox[4096];

static void bid(int claimant, int rank, int size) {
  for (int other = 0; other < size; ++other) {
    if (other != rank) MPI_Bsend(&claimant, 1, MPI_INT, other, BID_TAG, MPI_COMM_WORLD);
  }
}

static int elect(int rank, int size) {
  const int nobody = size;
  int heard = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, BID_TAG, MPI_COMM_WORLD, &heard, MPI_STATUS_IGNORE);
  int leader = heard ? nobody : rank;
  bid(leader, rank, size);

  for (int received = 1; received < size; ++received) {
    int claimant = nobody;
    MPI_Recv(&claimant, 1, MPI_INT, MPI_ANY_SOURCE, BID_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (claimant < leader) leader = claimant;
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
  assert(lowest == highest);
  if (rank == 0) printf("the leader is rank %d\n", leader);

  void* buffer = NULL;
  int buffer_bytes = 0;
  MPI_Buffer_detach(&buffer, &buffer_bytes);
  MPI_Finalize();
  return 0;
}
