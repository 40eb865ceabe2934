#include "matrix.h"

#include <stdlib.h>

int matrix_first_row(int rows, int ranks, int rank) {
  return (int)((long)rows * rank / ranks);
}

int matrix_owner(int rows, int ranks, int row) {
  int rank = (int)((long)row * ranks / rows);
  while (matrix_first_row(rows, ranks, rank) > row) --rank;
  while (matrix_first_row(rows, ranks, rank + 1) <= row) ++rank;
  return rank;
}

/* The k-th link joins each row with the one `step` further on, around the end: so the matrix is
   symmetric, and each rank can tell its rows' elements by itself. */
static int link_step(int rows, int k) {
  const long step = k == 0 ? 1 : 1 + (long)k * k * 7 % (rows / 2 > 1 ? rows / 2 : 1);
  return (int)(step % rows);
}

static double link_value(int rows, int low, int k) {
  const unsigned hash = ((unsigned)(low % rows) * 2654435761u) ^ ((unsigned)k * 40503u);
  return -(double)(1 + (hash >> 7) % 8) / 8;
}

static void add(Matrix* matrix, int* used, int column, double value) {
  matrix->column[*used] = column;
  matrix->value[*used] = value;
  ++*used;
}

void matrix_create(Matrix* matrix, int rows, int per_row, int ranks, int rank) {
  matrix->rows = rows;
  matrix->first = matrix_first_row(rows, ranks, rank);
  matrix->count = matrix_first_row(rows, ranks, rank + 1) - matrix->first;
  const int links = (per_row + 1) / 2;
  const size_t elements = (size_t)matrix->count * (size_t)(2 * links + 1);
  matrix->begin = malloc(((size_t)matrix->count + 1) * sizeof *matrix->begin);
  matrix->column = malloc((elements + 1) * sizeof *matrix->column);
  matrix->value = malloc((elements + 1) * sizeof *matrix->value);
  int used = 0;
  for (int i = 0; i < matrix->count; ++i) {
    const int row = matrix->first + i;
    double diagonal = 1; /* more than the others together: the matrix is positive definite */
    matrix->begin[i] = used;
    for (int k = 0; k < links; ++k) {
      const int step = link_step(rows, k);
      if (step == 0) continue;
      const int before = (row + rows - step) % rows;
      const double up = link_value(rows, row, k), down = link_value(rows, before, k);
      add(matrix, &used, (row + step) % rows, up);
      add(matrix, &used, before, down);
      diagonal -= up + down;
    }
    add(matrix, &used, row, diagonal);
  }
  matrix->begin[matrix->count] = used;
}

void matrix_free(Matrix* matrix) {
  free(matrix->begin);
  free(matrix->column);
  free(matrix->value);
}

void matrix_multiply(const Matrix* matrix, const double* vector, double* product) {
  for (int i = 0; i < matrix->count; ++i) {
    double sum = 0;
    for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; ++k) {
      sum += matrix->value[k] * vector[matrix->column[k]];
    }
    product[i] = sum;
  }
}
