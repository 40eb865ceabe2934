/* The method of conjugate gradients. */
#ifndef CG_SOLVER_H
#define CG_SOLVER_H

#include "ghosts.h"
#include "matrix.h"

typedef struct {
  int steps;         /* that were done */
  double residual;   /* the square of its norm, by the recurrence */
  long ghost_values; /* that came to this rank */
} Solved;

/* The sum over all ranks of a[i] * b[i]. */
double dot(const double* a, const double* b, int count, MPI_Comm comm);

/* product = matrix * vector; `vector` has room for the ghosts.  Returns how many values came. */
int multiply(const Matrix* matrix, Ghosts* ghosts, double* vector, double* product);

/* Begins at 0 and does `steps` steps, or fewer if nothing is left to do. */
Solved solve(const Matrix* matrix, Ghosts* ghosts, const double* right_side, double* solution,
             int steps);

#endif
