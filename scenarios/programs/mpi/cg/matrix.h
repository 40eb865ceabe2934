/* A sparse symmetric matrix, by rows; each rank makes its own rows from a rule. */
#ifndef CG_MATRIX_H
#define CG_MATRIX_H

typedef struct {
  int rows;    /* of the whole matrix */
  int first;   /* the first of ours */
  int count;   /* how many are ours */
  int* begin;  /* of each own row in `column` and `value`; count + 1 of them */
  int* column; /* numbers of the whole matrix; later places in the vector, ghosts last */
  double* value;
} Matrix;

/* The first row of rank `rank` of `ranks`. */
int matrix_first_row(int rows, int ranks, int rank);
/* Who owns a row. */
int matrix_owner(int rows, int ranks, int row);

/* About `per_row` elements beside the diagonal in each row, near it and far from it. */
void matrix_create(Matrix* matrix, int rows, int per_row, int ranks, int rank);
void matrix_free(Matrix* matrix);

/* product = matrix * vector, for our rows; `vector` has our part and then the ghosts. */
void matrix_multiply(const Matrix* matrix, const double* vector, double* product);

#endif
