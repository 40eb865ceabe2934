/* What master and workers say to each other. */
#ifndef FARM_PROTOCOL_H
#define FARM_PROTOCOL_H

#include <mpi.h>

#include "board.h"

enum { MASTER = 0 };

/* A task is its number, then the columns of its queens; so many numbers as it takes. */
enum { TASK_INTS_MAX = 1 + BOARD_MAX };

/* A result is the task's number, the solutions, the boards that were looked at. */
enum { RESULT_NUMBERS = 3 };

/* A task that was split is its number, then the columns that its next queen may have. */
enum { SPLIT_INTS_MAX = 1 + BOARD_MAX };

enum { TAG_TASK = 1, TAG_STOP, TAG_RESULT, TAG_SPLIT };

#endif
