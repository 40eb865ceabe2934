/* A master hands out numbers; workers send back how many divisors each has. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = 1, LAST = 30, MASTER = 0 };
enum { READY = 1, WORK = 2, RESULT = 3, STOP = 4 };

typedef struct {
  int number;
  int divisors;
} Answer;

static int count_divisors(int number) {
  int count = 0;
  for (int candidate = 1; candidate <= number; ++candidate) count += number % candidate == 0;
  return count;
}

/* Returns 0 if every number came back once, with the right answer. */
static int run_master(int size) {
  int answers[LAST + 1] = {0};
  int next = FIRST;
  int working = size - 1;
  while (working > 0) {
    Answer answer;
    MPI_Status status;
    MPI_Recv(&answer, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == RESULT) {
      if (answers[answer.number] != 0) return 1;
      answers[answer.number] = answer.divisors;
    }
    if (next <= LAST) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
      --working;
    }
  }
  for (int number = FIRST; number <= LAST; ++number)
    if (answers[number] != count_divisors(number)) return 1;
  return 0;
}

static int run_worker(void) {
  Answer answer = {0, 0};
  int done = 0;
  MPI_Send(&answer, 2, MPI_INT, MASTER, READY, MPI_COMM_WORLD);
  for (;;) {
    MPI_Status status;
    MPI_Recv(&answer.number, 1, MPI_INT, MASTER, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return done;
    answer.divisors = count_divisors(answer.number);
    MPI_Send(&answer, 2, MPI_INT, MASTER, RESULT, MPI_COMM_WORLD);
    ++done;
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int failed = 0;
  int done = 0;
  int total = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    fprintf(stderr, "master_worker: a master alone gets nothing done; use 2 ranks or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  if (rank == MASTER) {
    failed = run_master(size);
  } else {
    done = run_worker();
  }
  MPI_Reduce(&done, &total, 1, MPI_INT, MPI_SUM, MASTER, MPI_COMM_WORLD);
  if (rank == MASTER) {
    failed = failed || total != LAST - FIRST + 1;
    printf("master_worker: %s\n", failed ? "WRONG" : "every number came back once");
  }
  MPI_Finalize();
  return failed;
}
