#include "worker.h"

#include "protocol.h"

/* Sends the task back as several, which differ in the next queen. */
static void split(MPI_Comm comm, int task, const Board* board) {
  int message[SPLIT_INTS_MAX] = {task};
  int count = 1;
  for (int column = 0; column < board->size; ++column) {
    if (board_is_free(board, column)) message[count++] = column;
  }
  MPI_Send(message, count, MPI_INT, MASTER, TAG_SPLIT, comm);
}

static void solve(MPI_Comm comm, int task, const Board* board) {
  long result[RESULT_NUMBERS] = {task, 0, 0};
  result[1] = board_solutions(board, &result[2]);
  MPI_Send(result, RESULT_NUMBERS, MPI_LONG, MASTER, TAG_RESULT, comm);
}

int worker_run(MPI_Comm comm, int size, int depth) {
  for (int tasks = 0;; ++tasks) {
    int message[TASK_INTS_MAX], count = 0;
    MPI_Status status;
    MPI_Recv(message, TASK_INTS_MAX, MPI_INT, MASTER, MPI_ANY_TAG, comm, &status);
    if (status.MPI_TAG == TAG_STOP) return tasks;
    MPI_Get_count(&status, MPI_INT, &count);
    Board board = {.size = size};
    for (int row = 0; row < count - 1; ++row) board = board_with(&board, message[1 + row]);
    if (board.rows < depth && board.rows < size) {
      split(comm, message[0], &board);
    } else {
      solve(comm, message[0], &board);
    }
  }
}
