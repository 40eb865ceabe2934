/* Rank 0 reads reports from the others.  A report is two messages: its length, then its text. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

enum { LENGTH_TAG = 1, TEXT_TAG = 2, MAX_LENGTH = 64 };

/* A bar of stars, longer for each rank: no two reports have the same length. */
static int write_report(int rank, char text[MAX_LENGTH]) {
  return snprintf(text, MAX_LENGTH, "rank %d: %.*s", rank, rank, "****************");
}

static void send_report(int rank) {
  char text[MAX_LENGTH];
  const int length = write_report(rank, text);
  MPI_Send(&length, 1, MPI_INT, 0, LENGTH_TAG, MPI_COMM_WORLD);
  MPI_Send(text, length, MPI_CHAR, 0, TEXT_TAG, MPI_COMM_WORLD);
}

static void read_report(void) {
  MPI_Status status;
  int length = 0;
  char text[MAX_LENGTH];
  MPI_Recv(&length, 1, MPI_INT, MPI_ANY_SOURCE, LENGTH_TAG, MPI_COMM_WORLD, &status);
  MPI_Recv(text, MAX_LENGTH, MPI_CHAR, status.MPI_SOURCE, TEXT_TAG, MPI_COMM_WORLD, &status);

  int received = 0;
  MPI_Get_count(&status, MPI_CHAR, &received);
  assert(received == length);
  printf("%.*s\n", length, text);
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (rank == 0) {
    for (int report = 1; report < size; ++report) read_report();
  } else {
    send_report(rank);
  }

  MPI_Finalize();
  return 0;
}
