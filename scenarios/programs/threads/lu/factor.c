#include "factor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  Matrix* matrix;
  int threads;
  pthread_barrier_t barrier;
  pthread_mutex_t work_lock;
  Work work;
} Team;

typedef struct {
  Team* team;
  int number;
  pthread_t thread;
} Member;

/* The blocks are dealt out like squares of a chess board, over a grid of threads. */
static int owner(const Team* team, int row, int column) {
  int across = 1;
  while (across * across < team->threads) ++across;
  while (team->threads % across != 0) --across;
  return (row % (team->threads / across)) * across + column % across;
}

static void factor_diagonal(double* a, int b, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      const double scale = a[i * b + k] /= a[k * b + k];
      for (int j = k + 1; j < n; ++j) a[i * b + j] -= scale * a[k * b + j];
    }
  }
}

/* A block below the diagonal: A := A * U^-1. */
static void solve_column(double* a, const double* diagonal, int b, int rows, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < rows; ++i) {
      const double scale = a[i * b + k] /= diagonal[k * b + k];
      for (int j = k + 1; j < n; ++j) a[i * b + j] -= scale * diagonal[k * b + j];
    }
  }
}

/* A block right of the diagonal: A := L^-1 * A. */
static void solve_row(double* a, const double* diagonal, int b, int n, int columns) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      const double scale = diagonal[i * b + k];
      for (int j = 0; j < columns; ++j) a[i * b + j] -= scale * a[k * b + j];
    }
  }
}

static void update(double* a, const double* left, const double* up, int b, int rows, int columns,
                   int n) {
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < n; ++k) {
      const double scale = left[i * b + k];
      for (int j = 0; j < columns; ++j) a[i * b + j] -= scale * up[k * b + j];
    }
  }
}

/* Called once per step by each member. */
static void add_work(Team* team, const Work* mine) {
#ifndef BUG
  pthread_mutex_lock(&team->work_lock);
#endif
  team->work.diagonal_blocks += mine->diagonal_blocks; /* BUG: statistics need a lock, too */
  team->work.perimeter_blocks += mine->perimeter_blocks;
  team->work.interior_blocks += mine->interior_blocks;
#ifndef BUG
  pthread_mutex_unlock(&team->work_lock);
#endif
}

static void perimeter(Team* team, int me, int k, Work* work) {
  const Matrix* m = team->matrix;
  const int b = m->block, n = matrix_extent(m, k);
  const double* diagonal = matrix_block(m, k, k);
  for (int i = k + 1; i < m->blocks; ++i) {
    if (owner(team, i, k) == me) {
      solve_column(matrix_block(m, i, k), diagonal, b, matrix_extent(m, i), n);
      ++work->perimeter_blocks;
    }
    if (owner(team, k, i) == me) {
      solve_row(matrix_block(m, k, i), diagonal, b, n, matrix_extent(m, i));
      ++work->perimeter_blocks;
    }
  }
}

static void interior(Team* team, int me, int k, Work* work) {
  const Matrix* m = team->matrix;
  for (int i = k + 1; i < m->blocks; ++i) {
    for (int j = k + 1; j < m->blocks; ++j) {
      if (owner(team, i, j) != me) continue;
      update(matrix_block(m, i, j), matrix_block(m, i, k), matrix_block(m, k, j), m->block,
             matrix_extent(m, i), matrix_extent(m, j), matrix_extent(m, k));
      ++work->interior_blocks;
    }
  }
}

static void* run_member(void* argument) {
  const Member* member = argument;
  Team* team = member->team;
  const Matrix* m = team->matrix;
  for (int k = 0; k < m->blocks; ++k) {
    Work work = {0, 0, 0};
    if (owner(team, k, k) == member->number) {
      factor_diagonal(matrix_block(m, k, k), m->block, matrix_extent(m, k));
      ++work.diagonal_blocks;
    }
    pthread_barrier_wait(&team->barrier);
    perimeter(team, member->number, k, &work);
    pthread_barrier_wait(&team->barrier);
    /* No barrier behind it: the next diagonal block is its owner's own work. */
    interior(team, member->number, k, &work);
    add_work(team, &work);
  }
  return NULL;
}

Work factor(Matrix* matrix, int threads) {
  Team team = {.matrix = matrix, .threads = threads};
  pthread_barrier_init(&team.barrier, NULL, (unsigned)threads);
  pthread_mutex_init(&team.work_lock, NULL);
  Member* members = calloc((size_t)threads, sizeof(Member));
  for (int i = 0; i < threads; ++i) {
    members[i].team = &team;
    members[i].number = i;
    if (i > 0 && pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0) {
      fprintf(stderr, "lu: cannot start thread %d\n", i);
      exit(2);
    }
  }
  run_member(&members[0]);
  for (int i = 1; i < threads; ++i) pthread_join(members[i].thread, NULL);
  free(members);
  pthread_mutex_destroy(&team.work_lock);
  pthread_barrier_destroy(&team.barrier);
  return team.work;
}

Work work_expected(int blocks) {
  Work work = {blocks, 0, 0};
  for (long left = blocks - 1; left > 0; --left) {
    work.perimeter_blocks += 2 * left;
    work.interior_blocks += left * left;
  }
  return work;
}
