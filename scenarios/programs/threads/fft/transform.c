#include "transform.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"

typedef struct {
  double complex* data;
  double complex* other;
  int side;
  int threads;
  pthread_barrier_t barrier;
} Team;

typedef struct {
  Team* team;
  int number;
  pthread_t thread;
} Member;

enum { tile = 8 };

static void swap(double complex* a, double complex* b) {
  const double complex kept = *a;
  *a = *b;
  *b = kept;
}

/* In place, by the usual reversal of bits. */
static void transform_row(double complex* row, int length) {
  const double complex* roots = plan_roots(length);
  for (int i = 1, j = 0; i < length; ++i) {
    int bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) swap(&row[i], &row[j]);
  }
  for (int half = 1; half < length; half *= 2) {
    const int stride = length / (2 * half);
    for (int start = 0; start < length; start += 2 * half) {
      for (int k = 0; k < half; ++k) {
        const double complex odd = row[start + half + k] * roots[k * stride];
        const double complex even = row[start + k];
        row[start + k] = even + odd;
        row[start + half + k] = even - odd;
      }
    }
  }
}

/* Rows `first` to `last` of `to` are columns of `from`. */
static void transpose(const double complex* from, double complex* to, int side, int first,
                      int last) {
  for (int column = 0; column < side; column += tile) {
    for (int row = first; row < last; ++row) {
      for (int k = column; k < column + tile && k < side; ++k) {
        to[row * side + k] = from[k * side + row];
      }
    }
  }
}

static void multiply_twiddles(double complex* row, int number, int side, double complex* twiddles) {
  plan_twiddles(side * side, number, side, twiddles);
  for (int k = 0; k < side; ++k) row[k] *= twiddles[k];
}

static void* run_member(void* argument) {
  const Member* member = argument;
  Team* team = member->team;
  const int side = team->side;
  const int first = side * member->number / team->threads;
  const int last = side * (member->number + 1) / team->threads;
  double complex* twiddles = malloc((size_t)side * sizeof(double complex));

  transpose(team->data, team->other, side, first, last);
  for (int row = first; row < last; ++row) {
    transform_row(&team->other[row * side], side);
    multiply_twiddles(&team->other[row * side], row, side, twiddles);
  }
  pthread_barrier_wait(&team->barrier);
  transpose(team->other, team->data, side, first, last);
  pthread_barrier_wait(&team->barrier);
  for (int row = first; row < last; ++row) transform_row(&team->data[row * side], side);
  pthread_barrier_wait(&team->barrier);
  transpose(team->data, team->other, side, first, last);
  pthread_barrier_wait(&team->barrier);
  for (int i = first * side; i < last * side; ++i) team->data[i] = team->other[i];

  free(twiddles);
  return NULL;
}

void transform(double complex* data, int side, int threads) {
  Team team = {.data = data, .side = side, .threads = threads};
  team.other = malloc((size_t)side * side * sizeof(double complex));
  Member* members = calloc((size_t)threads, sizeof(Member));
  if (team.other == NULL || members == NULL) {
    fprintf(stderr, "fft: no memory\n");
    exit(2);
  }
  pthread_barrier_init(&team.barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    members[i].team = &team;
    members[i].number = i;
    if (i > 0 && pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0) {
      fprintf(stderr, "fft: cannot start thread %d\n", i);
      exit(2);
    }
  }
  run_member(&members[0]);
  for (int i = 1; i < threads; ++i) pthread_join(members[i].thread, NULL);
  pthread_barrier_destroy(&team.barrier);
  free(members);
  free(team.other);
}
