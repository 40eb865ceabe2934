#include "master.h"

#include <stdlib.h>

#include "protocol.h"
#include "queue.h"

/* Half of the receives are for results, half for tasks that were split. */
enum { SLOTS = RECEIVES / 2 };

typedef struct {
  MPI_Comm comm;
  Queue queue;
  Harvest harvest;
  int* idle; /* workers without a task */
  int idle_count;
  MPI_Request requests[RECEIVES]; /* first those for results */
  long results[SLOTS][RESULT_NUMBERS];
  int splits[SLOTS][SPLIT_INTS_MAX];
} Master;

static void post(Master* master, int slot) {
  if (slot < SLOTS) {
    MPI_Irecv(master->results[slot], RESULT_NUMBERS, MPI_LONG, MPI_ANY_SOURCE, TAG_RESULT,
              master->comm, &master->requests[slot]);
  } else {
    MPI_Irecv(master->splits[slot - SLOTS], SPLIT_INTS_MAX, MPI_INT, MPI_ANY_SOURCE, TAG_SPLIT,
              master->comm, &master->requests[slot]);
  }
}

static void send_task(Master* master, int task, int worker) {
  const Board* const board = &master->queue.tasks[task].board;
  int message[TASK_INTS_MAX] = {task};
  for (int row = 0; row < board->rows; ++row) message[1 + row] = board->column[row];
  MPI_Send(message, 1 + board->rows, MPI_INT, worker, TAG_TASK, master->comm);
}

/* Gives work to all who have none, as long as there is any. */
static void hand_out(Master* master) {
  while (master->idle_count > 0) {
    const int worker = master->idle[master->idle_count - 1];
    const int task = queue_give(&master->queue, worker);
    if (task < 0) return;
    --master->idle_count;
    send_task(master, task, worker);
  }
}

static void take_result(Master* master, const long* result, int worker) {
  if (!queue_answer(&master->queue, (int)result[0], worker)) ++master->harvest.strays;
  master->harvest.solutions += result[1];
  master->harvest.visited += result[2];
}

static void take_split(Master* master, const int* split, int columns, int worker) {
  if (!queue_answer(&master->queue, split[0], worker)) {
    ++master->harvest.strays;
    return;
  }
  ++master->harvest.splits;
  const Board board = master->queue.tasks[split[0]].board;
  for (int i = 0; i < columns; ++i) {
    const Board next = board_with(&board, split[1 + i]);
    queue_add(&master->queue, &next);
  }
}

static void take_answer(Master* master, int slot, MPI_Status* status) {
  const int worker = status->MPI_SOURCE;
  int count = 0;
  if (status->MPI_TAG == TAG_RESULT) {
    MPI_Get_count(status, MPI_LONG, &count);
    if (count != RESULT_NUMBERS) ++master->harvest.strays;
    take_result(master, master->results[slot], worker);
  } else {
    MPI_Get_count(status, MPI_INT, &count);
    take_split(master, master->splits[slot - SLOTS], count - 1, worker);
  }
  master->idle[master->idle_count++] = worker;
}

static void finish(Master* master, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != MASTER) MPI_Send(NULL, 0, MPI_INT, rank, TAG_STOP, master->comm);
  }
  for (int slot = 0; slot < RECEIVES; ++slot) {
    MPI_Status status;
    int is_cancelled = 0;
    MPI_Cancel(&master->requests[slot]);
    MPI_Wait(&master->requests[slot], &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    master->harvest.cancelled += is_cancelled;
  }
}

Harvest master_run(MPI_Comm comm, int size) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  Master master = {.comm = comm, .queue = queue_create()};
  master.idle = malloc((size_t)ranks * sizeof *master.idle);
  const Board empty = {.size = size};
  queue_add(&master.queue, &empty);
  for (int rank = ranks - 1; rank >= 0; --rank) {
    if (rank != MASTER) master.idle[master.idle_count++] = rank;
  }
  for (int slot = 0; slot < RECEIVES; ++slot) post(&master, slot);
  hand_out(&master);
  while (master.queue.given > 0) {
    int count = 0, done[RECEIVES];
    MPI_Status statuses[RECEIVES];
    MPI_Waitsome(RECEIVES, master.requests, &count, done, statuses);
    for (int i = 0; i < count; ++i) {
      take_answer(&master, done[i], &statuses[i]);
      post(&master, done[i]);
    }
    hand_out(&master);
  }
  finish(&master, ranks);
  master.harvest.tasks = master.queue.count;
  free(master.idle);
  queue_free(&master.queue);
  return master.harvest;
}
