/* lu [SIZE] [THREADS] [BLOCK]: factors a matrix and multiplies the factors again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "factor.h"
#include "matrix.h"

/* The largest difference between L * U and what was factored, over some rows. */
static double difference(const Matrix* factors, const Matrix* original) {
  const int n = factors->size;
  const int stride = n > 64 ? n / 16 : 1;
  double worst = 0;
  for (int row = 0; row < n; row += stride) {
    for (int column = 0; column < n; ++column) {
      double sum = row <= column ? matrix_element(factors, row, column) : 0;
      const int last = row <= column ? row : column + 1;
      for (int k = 0; k < last; ++k) {
        sum += matrix_element(factors, row, k) * matrix_element(factors, k, column);
      }
      worst = fmax(worst, fabs(sum - matrix_element(original, row, column)));
    }
  }
  return worst;
}

static int same_work(Work a, Work b) {
  return a.diagonal_blocks == b.diagonal_blocks && a.perimeter_blocks == b.perimeter_blocks &&
         a.interior_blocks == b.interior_blocks;
}

static int argument(int argc, char** argv, int i, int otherwise) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < 1) {
    fprintf(stderr, "usage: lu [SIZE] [THREADS] [BLOCK], each at least 1\n");
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  const int size = argument(argc, argv, 1, 32);
  const int threads = argument(argc, argv, 2, 4);
  const int block = argument(argc, argv, 3, 8);
  Matrix matrix = matrix_generate(size, block);
  Matrix original = matrix_copy(&matrix);

  const Work work = factor(&matrix, threads);
  const double worst = difference(&matrix, &original);
  const Work expected = work_expected(matrix.blocks);
  printf("lu of %d x %d: hash %016lx, %ld diagonal, %ld perimeter, %ld interior blocks\n", size,
         size, matrix_hash(&matrix), work.diagonal_blocks, work.perimeter_blocks,
         work.interior_blocks);
  matrix_free(&matrix);
  matrix_free(&original);

  if (!(worst < 1e-9 * size)) {
    printf("wrong: L * U differs from the matrix by %g\n", worst);
    return 1;
  }
  if (!same_work(work, expected)) {
    printf("wrong: %ld, %ld and %ld blocks were expected\n", expected.diagonal_blocks,
           expected.perimeter_blocks, expected.interior_blocks);
    return 1;
  }
  return 0;
}
