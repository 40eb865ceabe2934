/* LU factorisation in place, block by block, by a team of threads. */
#ifndef FACTOR_H
#define FACTOR_H

#include "matrix.h"

/* What the team did, summed over its members. */
typedef struct {
  long diagonal_blocks;
  long perimeter_blocks;
  long interior_blocks;
} Work;

/* Replaces `matrix` by its factors: L below the diagonal (with ones on it), U on and above. */
Work factor(Matrix* matrix, int threads);

/* The same sums, by counting. */
Work work_expected(int blocks);

#endif
