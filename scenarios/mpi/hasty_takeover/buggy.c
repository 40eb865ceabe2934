/* A standby takes over from a primary that does not answer in time; somebody counts the leaders. */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>
#include <time.h>

enum { PRIMARY, STANDBY, COUNTER };
enum { PING, PONG, LEADS };

static void report(int leads) {
  MPI_Send(&leads, 1, MPI_INT, COUNTER, LEADS, MPI_COMM_WORLD);
}

static void be_primary(void) {
  MPI_Recv(NULL, 0, MPI_BYTE, STANDBY, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_BYTE, STANDBY, PONG, MPI_COMM_WORLD);
  report(1);
}

static void be_standby(void) {
  const struct timespec patience = {0, 14000}; /* 14 us: plenty on the cards that it was tried on */
  MPI_Request answer;
  int is_alive = 0;
  MPI_Irecv(NULL, 0, MPI_BYTE, PRIMARY, PONG, MPI_COMM_WORLD, &answer);
  MPI_Send(NULL, 0, MPI_BYTE, PRIMARY, PING, MPI_COMM_WORLD);
  nanosleep(&patience, NULL);
  MPI_Test(&answer, &is_alive, MPI_STATUS_IGNORE);
  report(!is_alive);
  MPI_Wait(&answer, MPI_STATUS_IGNORE);
}

static void count_leaders(void) {
  int leaders = 0;
  for (int from = PRIMARY; from <= STANDBY; ++from) {
    int leads = 0;
    MPI_Recv(&leads, 1, MPI_INT, from, LEADS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    leaders += leads;
  }
  assert(leaders == 1); /* BUG: late is not dead, and the primary still thinks that it leads */
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == PRIMARY) be_primary();
  if (rank == STANDBY) be_standby();
  if (rank == COUNTER) count_leaders();
  MPI_Finalize();
  return 0;
}
