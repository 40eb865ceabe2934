/* A square matrix in blocks: each block lies together in memory, as in SPLASH's LU. */
#ifndef MATRIX_H
#define MATRIX_H

typedef struct {
  int size;   /* rows and columns */
  int block;  /* rows and columns of a block; the last ones of a row or column may be smaller */
  int blocks; /* along each side */
  double** at;
} Matrix;

/* Diagonally dominant, so that no pivoting is needed; the same for the same size. */
Matrix matrix_generate(int size, int block);
Matrix matrix_copy(const Matrix* from);
void matrix_free(Matrix* matrix);

/* Rows (or columns) of block number i along a side. */
int matrix_extent(const Matrix* matrix, int i);
double* matrix_block(const Matrix* matrix, int row, int column);
double matrix_element(const Matrix* matrix, int row, int column);
/* The same number for the same bits, in any layout. */
unsigned long matrix_hash(const Matrix* matrix);

#endif
