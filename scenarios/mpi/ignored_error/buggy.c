/* Rank 0 asks rank 1 over a network that may break, and means to survive that.
 *
 *     orrery cc -g -o ignored_error buggy.c
 *     orrery explore -n 2 --faults loss=0.05,unreliable ./ignored_error
 */
#include <assert.h>
#include <mpi.h>

enum { QUESTION_TAG = 1, ANSWER_TAG = 2 };

static void ask(void) {
  const int question = 6;
  int answer = 0;
  MPI_Send(&question, 1, MPI_INT, 1, QUESTION_TAG, MPI_COMM_WORLD);
  MPI_Recv(&answer, 1, MPI_INT, 1, ANSWER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  assert(answer == 36); /* BUG: nobody has looked whether there was an answer */
}

static void serve(void) {
  int question = 0;
  const int error =
      MPI_Recv(&question, 1, MPI_INT, 0, QUESTION_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return;
  const int answer = question * question;
  MPI_Send(&answer, 1, MPI_INT, 0, ANSWER_TAG, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) ask();
  if (rank == 1) serve();
  MPI_Finalize();
  return 0;
}
