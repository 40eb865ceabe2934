/* cg [ROWS] [PER_ROW] [STEPS] [ROUNDS]: solves a sparse system whose solution is known. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ghosts.h"
#include "matrix.h"
#include "solver.h"

/* Whole numbers, so that some of the sums are exact. */
static double known_solution(int row) {
  return (double)(row * 7 % 11 - 5);
}

static double known_square_sum(int rows) {
  double sum = 0;
  for (int row = 0; row < rows; ++row) sum += known_solution(row) * known_solution(row);
  return sum;
}

/* The elements of the right side by themselves: each rank computes those of its rows from the rule,
   without a message. */
static int differs_from_serial(const Matrix* matrix, int per_row, const double* right_side) {
  Matrix whole;
  matrix_create(&whole, matrix->rows, per_row, 1, 0);
  double* const vector = malloc((size_t)matrix->rows * sizeof *vector);
  double* const product = malloc((size_t)matrix->rows * sizeof *product);
  for (int row = 0; row < matrix->rows; ++row) vector[row] = known_solution(row);
  matrix_multiply(&whole, vector, product);
  int wrong = 0;
  for (int i = 0; i < matrix->count; ++i) wrong += product[matrix->first + i] != right_side[i];
  free(product);
  free(vector);
  matrix_free(&whole);
  return wrong;
}

static int argument(int argc, char** argv, int i, int otherwise, int least) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < least) {
    fprintf(stderr, "usage: cg [ROWS] [PER_ROW] [STEPS] [ROUNDS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/* What is wrong with the answer, on any rank; null if nothing is. */
static const char* mistake(const Matrix* matrix, Ghosts* ghosts, const double* right_side,
                           double* solution, double square_sum, int per_row) {
  const int count = matrix->count;
  double* const product = malloc(((size_t)count + 1) * sizeof *product);
  double worst = 0, worst_of_all = 0;
  for (int i = 0; i < count; ++i) {
    worst = fmax(worst, fabs(solution[i] - known_solution(matrix->first + i)));
  }
  MPI_Allreduce(&worst, &worst_of_all, 1, MPI_DOUBLE, MPI_MAX, ghosts->comm);

  multiply(matrix, ghosts, solution, product);
  for (int i = 0; i < count; ++i) product[i] -= right_side[i];
  const double left = sqrt(dot(product, product, count, ghosts->comm));
  free(product);

  int differing = differs_from_serial(matrix, per_row, right_side), all_differing = 0;
  MPI_Allreduce(&differing, &all_differing, 1, MPI_INT, MPI_SUM, ghosts->comm);
  if (all_differing > 0) return "a product differs from the serial one";
  if (square_sum != known_square_sum(matrix->rows)) return "a sum of whole numbers is not exact";
  if (!(worst_of_all < 1e-6)) return "the solution is not the known one";
  if (!(left < 1e-6 * sqrt(square_sum))) return "the residual is not what the recurrence says";
  return NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rows = argument(argc, argv, 1, 64, 1);
  const int per_row = argument(argc, argv, 2, 5, 0);
  const int steps = argument(argc, argv, 3, 40, 1);
  const int rounds = argument(argc, argv, 4, 1, 1);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  Matrix matrix;
  Ghosts ghosts;
  matrix_create(&matrix, rows, per_row, ranks, rank);
  ghosts_create(&ghosts, &matrix, MPI_COMM_WORLD);
  const size_t places = (size_t)matrix.count + (size_t)ghosts.count + 1;
  double* const solution = calloc(places, sizeof *solution);
  double* const right_side = calloc(places, sizeof *right_side);
  for (int i = 0; i < matrix.count; ++i) solution[i] = known_solution(matrix.first + i);
  const double square_sum = dot(solution, solution, matrix.count, ghosts.comm);
  multiply(&matrix, &ghosts, solution, right_side);

  Solved solved = {0};
  for (int round = 0; round < rounds; ++round) {
    solved = solve(&matrix, &ghosts, right_side, solution, steps);
  }
  const char* const wrong = mistake(&matrix, &ghosts, right_side, solution, square_sum, per_row);
  long values = solved.ghost_values > 0, ranks_with_ghosts = 0;
  MPI_Reduce(&values, &ranks_with_ghosts, 1, MPI_LONG, MPI_SUM, 0, ghosts.comm);
  if (rank == 0) {
    printf("cg of %d rows, %d beside the diagonal: solved, with ghosts on %ld of %d ranks\n", rows,
           per_row, ranks_with_ghosts, ranks);
    if (wrong) printf("wrong: %s\n", wrong);
  }
  free(right_side);
  free(solution);
  ghosts_free(&ghosts);
  matrix_free(&matrix);
  MPI_Finalize();
  return wrong != NULL;
}
