/* farm [QUEENS] [DEPTH] [ROUNDS]: how many ways there are to place queens, by a master and workers;
   ROUNDS times. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "master.h"
#include "protocol.h"
#include "worker.h"

static int argument(int argc, char** argv, int i, int otherwise, int least, int most) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < least || value > most) {
    fprintf(stderr, "usage: farm [QUEENS (1..%d)] [DEPTH] [ROUNDS]\n", BOARD_MAX);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/* What is wrong with what the master has got together; null if nothing is. */
static const char* mistake(const Harvest* harvest, int size, int done_by_workers) {
  long visited = 0;
  const Board empty = {.size = size};
  if (harvest->strays > 0) return "there were answers that nobody asked for";
  if (harvest->solutions != board_solutions(&empty, &visited)) {
    return "there are not so many solutions";
  }
  /* A board that was split has been looked at by nobody. */
  if (harvest->visited + harvest->splits != visited) return "boards were left out, or done twice";
  if (harvest->tasks != done_by_workers) return "workers have done other tasks than were given";
  if (harvest->cancelled != RECEIVES) return "a receive that nobody needs got something";
  return NULL;
}

/* One round; whether something is wrong: the same answer at each rank. */
static int count_once(int rank, int size, int depth) {
  int mine = 0, all = 0, is_wrong = 0;
  Harvest harvest = {0};
  if (rank == MASTER) {
    harvest = master_run(MPI_COMM_WORLD, size);
  } else {
    mine = worker_run(MPI_COMM_WORLD, size, depth);
  }
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, MASTER, MPI_COMM_WORLD);
  if (rank == MASTER) {
    printf("farm: %d queens, %ld solutions, %d tasks, %d of them split\n", size, harvest.solutions,
           harvest.tasks, harvest.splits);
    const char* const wrong = mistake(&harvest, size, all);
    if (wrong) printf("wrong: %s\n", wrong);
    is_wrong = wrong != NULL;
  }
  MPI_Bcast(&is_wrong, 1, MPI_INT, MASTER, MPI_COMM_WORLD);
  return is_wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argument(argc, argv, 1, 6, 1, BOARD_MAX);
  const int depth = argument(argc, argv, 2, 2, 0, BOARD_MAX);
  const int rounds = argument(argc, argv, 3, 1, 1, INT_MAX);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "farm: a master alone has no workers; start at least two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int is_wrong = 0;
  for (int round = 0; round < rounds && !is_wrong; ++round)
    is_wrong = count_once(rank, size, depth);
  MPI_Finalize();
  return is_wrong;
}
