/* Relaxes a grid with a team of threads. */
#ifndef SOLVER_H
#define SOLVER_H

#include "grid.h"

typedef struct {
  int sweeps;    /* it took so many */
  double change; /* the largest of the last one */
} Solution;

/* Until no point changes by more than a millionth, or for so many sweeps. */
Solution solve(Grid* grid, int threads, int sweeps_max);

#endif
