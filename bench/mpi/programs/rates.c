/* rates KIND COUNT: does one thing COUNT times, on as many ranks as there are. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void ping_pong(int count) {
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    if ((i % 2 == 0) == (rank == 0)) {
      MPI_Send(&byte, 1, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&byte, 1, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void ring(int count) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < count; ++i) {
    int mine = rank + i, from_left = 0;
    MPI_Request requests[2];
    MPI_Irecv(&from_left, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (from_left != left + i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Each worker gets an answer for each message before it sends the next. */
static void master(int count) {
  int task = 0;
  if (rank != 0) {
    for (int i = 0; i < count; ++i) {
      MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return;
  }
  for (int i = 0; i < count * (size - 1); ++i) {
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
}

static void allreduce(int count) {
  for (int i = 0; i < count; ++i) {
    double mine = rank, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (all != (double)size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void barrier(int count) {
  for (int i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const kind = argc > 2 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(kind, "ping_pong") == 0) {
    ping_pong(count);
  } else if (strcmp(kind, "ring") == 0) {
    ring(count);
  } else if (strcmp(kind, "master") == 0) {
    master(count);
  } else if (strcmp(kind, "allreduce") == 0) {
    allreduce(count);
  } else if (strcmp(kind, "barrier") == 0) {
    barrier(count);
  }
  MPI_Finalize();
  return 0;
}
