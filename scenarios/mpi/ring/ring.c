/* Tokens go round a ring; everybody adds their number to each of them. */
#include <mpi.h>
#include <stdio.h>

typedef struct {
  long owner;
  long sum;
} Token;

/* Passes a token to the right while the next one comes from the left. */
static Token pass_on(Token token, int round, MPI_Comm ring) {
  int rank = 0;
  int size = 0;
  Token next;
  MPI_Request requests[2];
  MPI_Comm_rank(ring, &rank);
  MPI_Comm_size(ring, &size);
  MPI_Irecv(&next, 2, MPI_LONG, (rank + size - 1) % size, round, ring, &requests[0]);
  MPI_Isend(&token, 2, MPI_LONG, (rank + 1) % size, round, ring, &requests[1]);
  if (round % 2 == 0) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    int arrived = 0;
    while (!arrived) MPI_Test(&requests[0], &arrived, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  return next;
}

/* Returns 0 if the own token came home and has met everybody. */
static int go_round(MPI_Comm ring) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(ring, &rank);
  MPI_Comm_size(ring, &size);
  Token token = {rank, 0};
  for (int round = 0; round < size; ++round) {
    token.sum += rank;
    token = pass_on(token, round, ring);
  }
  return token.owner != rank || token.sum != (long)size * (size - 1) / 2;
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);

  int failed = go_round(MPI_COMM_WORLD);
  failed |= go_round(half);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (rank == 0) printf("ring: %s\n", failed ? "WRONG" : "all tokens came home");

  MPI_Comm_free(&half);
  MPI_Finalize();
  return failed;
}
