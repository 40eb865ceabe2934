#include "solver.h"

#include <stdlib.h>
#include <string.h>

double dot(const double* a, const double* b, int count, MPI_Comm comm) {
  double mine = 0, all = 0;
  for (int i = 0; i < count; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

int multiply(const Matrix* matrix, Ghosts* ghosts, double* vector, double* product) {
  ghosts_begin(ghosts, vector, matrix->count);
  const int values = ghosts_end(ghosts);
  matrix_multiply(matrix, vector, product);
  return values;
}

Solved solve(const Matrix* matrix, Ghosts* ghosts, const double* right_side, double* solution,
             int steps) {
  const int count = matrix->count;
  const size_t bytes = ((size_t)count + 1) * sizeof(double);
  double* const residual = malloc(bytes);
  double* const product = malloc(bytes);
  double* const direction = malloc(((size_t)count + (size_t)ghosts->count + 1) * sizeof(double));
  memset(solution, 0, (size_t)count * sizeof *solution);
  memcpy(residual, right_side, (size_t)count * sizeof *residual);
  memcpy(direction, right_side, (size_t)count * sizeof *direction);

  Solved solved = {0, dot(residual, residual, count, ghosts->comm), 0};
  const double enough = solved.residual * 1e-26;
  while (solved.steps < steps && solved.residual > enough) {
    solved.ghost_values += multiply(matrix, ghosts, direction, product);
    const double alpha = solved.residual / dot(direction, product, count, ghosts->comm);
    for (int i = 0; i < count; ++i) {
      solution[i] += alpha * direction[i];
      residual[i] -= alpha * product[i];
    }
    const double now = dot(residual, residual, count, ghosts->comm);
    const double beta = now / solved.residual;
    for (int i = 0; i < count; ++i) direction[i] = residual[i] + beta * direction[i];
    solved.residual = now;
    ++solved.steps;
  }
  free(direction);
  free(product);
  free(residual);
  return solved;
}
