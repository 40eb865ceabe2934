#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "lu: no memory\n");
    exit(2);
  }
  return memory;
}

static Matrix matrix_empty(int size, int block) {
  Matrix matrix;
  matrix.size = size;
  matrix.block = block;
  matrix.blocks = (size + block - 1) / block;
  const size_t count = (size_t)matrix.blocks * matrix.blocks;
  matrix.at = allocate(count * sizeof(double*));
  for (size_t i = 0; i < count; ++i) {
    matrix.at[i] = allocate((size_t)block * block * sizeof(double));
    memset(matrix.at[i], 0, (size_t)block * block * sizeof(double));
  }
  return matrix;
}

int matrix_extent(const Matrix* matrix, int i) {
  const int left = matrix->size - i * matrix->block;
  return left < matrix->block ? left : matrix->block;
}

double* matrix_block(const Matrix* matrix, int row, int column) {
  return matrix->at[row * matrix->blocks + column];
}

static double* element(const Matrix* matrix, int row, int column) {
  const int b = matrix->block;
  return &matrix_block(matrix, row / b, column / b)[(row % b) * b + column % b];
}

double matrix_element(const Matrix* matrix, int row, int column) {
  return *element(matrix, row, column);
}

Matrix matrix_generate(int size, int block) {
  Matrix matrix = matrix_empty(size, block);
  unsigned long state = 12345;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      state = state * 6364136223846793005UL + 1442695040888963407UL;
      *element(&matrix, row, column) = (double)(state >> 40) / (1 << 24);
    }
    *element(&matrix, row, row) += size;
  }
  return matrix;
}

Matrix matrix_copy(const Matrix* from) {
  Matrix copy = matrix_empty(from->size, from->block);
  for (int i = 0; i < from->blocks * from->blocks; ++i) {
    memcpy(copy.at[i], from->at[i], (size_t)from->block * from->block * sizeof(double));
  }
  return copy;
}

void matrix_free(Matrix* matrix) {
  for (int i = 0; i < matrix->blocks * matrix->blocks; ++i) free(matrix->at[i]);
  free(matrix->at);
  matrix->at = NULL;
}

unsigned long matrix_hash(const Matrix* matrix) {
  unsigned long hash = 14695981039346656037UL;
  for (int row = 0; row < matrix->size; ++row) {
    for (int column = 0; column < matrix->size; ++column) {
      unsigned long bits;
      memcpy(&bits, element(matrix, row, column), sizeof bits);
      hash = (hash ^ bits) * 1099511628211UL;
    }
  }
  return hash;
}
