/* The master's list of tasks, and what has become of each. */
#ifndef FARM_QUEUE_H
#define FARM_QUEUE_H

#include "board.h"

enum { NOT_GIVEN = -1, ANSWERED = -2 };

typedef struct {
  Board board;
  int worker; /* who has it; or NOT_GIVEN, ANSWERED */
} Task;

typedef struct {
  Task* tasks;
  int count;
  int room;
  int next;  /* the first that nobody has been given */
  int given; /* that are with workers */
} Queue;

Queue queue_create(void);
void queue_free(Queue* queue);
void queue_add(Queue* queue, const Board* board);

/* Gives the next task to `worker`: its number, or -1 if there is none. */
int queue_give(Queue* queue, int worker);

/* Notes that `worker` has answered a task.  Returns 0 if it never had it. */
int queue_answer(Queue* queue, int task, int worker);

#endif
