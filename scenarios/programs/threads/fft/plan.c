#include "plan.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { longest_log2 = 31 };

typedef struct {
  double complex* roots;
  int length;
} Table;

static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;
static Table tables[longest_log2];

static double complex root(int length, long k) {
  const double angle = -2 * 3.14159265358979323846 * (double)k / length;
  return cos(angle) + I * sin(angle);
}

static int log2_of(int length) {
  int log2 = 0;
  while ((1 << log2) < length) ++log2;
  return log2;
}

static double complex* make_memory(int length) {
  double complex* memory = malloc((size_t)(length / 2 + 1) * sizeof(double complex));
  if (memory != NULL) return memory;
  fprintf(stderr, "fft: no memory for %d roots\n", length);
  exit(2);
}

static void fill(double complex* roots, int length) {
  for (int k = 0; k < length / 2; ++k) roots[k] = root(length, k);
}

const double complex* plan_roots(int length) {
  Table* table = &tables[log2_of(length)];
#ifdef BUG
  if (table->length == length) return table->roots; /* BUG: looks without the lock at half a plan */
#endif
  pthread_mutex_lock(&tables_lock);
  if (table->length != length) {
    table->length = length;
    table->roots = make_memory(length);
    fill(table->roots, length);
  }
  pthread_mutex_unlock(&tables_lock);
  return table->roots;
}

void plan_twiddles(int length, int row, int columns, double complex* twiddles) {
  /* By repeated multiplication the errors would add up. */
  for (int column = 0; column < columns; ++column) {
    twiddles[column] = root(length, (long)row * column % length);
  }
}

void plan_free(void) {
  for (int i = 0; i < longest_log2; ++i) {
    free(tables[i].roots);
    tables[i].roots = NULL;
    tables[i].length = 0;
  }
}
