#include "queue.h"

#include <stdlib.h>

Queue queue_create(void) {
  const Queue queue = {malloc(16 * sizeof(Task)), 0, 16, 0, 0};
  return queue;
}

void queue_free(Queue* queue) {
  free(queue->tasks);
  queue->tasks = NULL;
}

void queue_add(Queue* queue, const Board* board) {
  if (queue->count == queue->room) {
    queue->room *= 2;
    queue->tasks = realloc(queue->tasks, (size_t)queue->room * sizeof *queue->tasks);
  }
  queue->tasks[queue->count++] = (Task){*board, NOT_GIVEN};
}

int queue_give(Queue* queue, int worker) {
  if (queue->next == queue->count) return -1;
  const int task = queue->next++;
  queue->tasks[task].worker = worker;
  ++queue->given;
  return task;
}

int queue_answer(Queue* queue, int task, int worker) {
  if (task < 0 || task >= queue->count || queue->tasks[task].worker != worker) return 0;
  queue->tasks[task].worker = ANSWERED;
  --queue->given;
  return 1;
}
