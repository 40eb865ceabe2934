/* What must be true of the answer. */
#ifndef HALO_CHECK_H
#define HALO_CHECK_H

#include "grid.h"

/* Rank 0 computes `steps` steps of the whole grid by itself and compares every cell of all ranks
   with its own, bit by bit.  Returns how many differ, at each rank. */
long check_cells(const Grid* grid, int steps);

/* Whether the stencil has kept the sum of all cells, but for rounding. */
int check_sum(const Grid* grid, double sum_at_start);

/* The sum over all ranks. */
double global_sum(const Grid* grid);

/* A hash of this rank's bits and of where they are; the sum over all ranks depends on no cut. */
unsigned long global_hash(const Grid* grid);

#endif
