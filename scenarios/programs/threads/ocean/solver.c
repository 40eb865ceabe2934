#include "solver.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  Grid* grid;
  int threads;
  int sweeps_max;
  pthread_barrier_t barrier;
  pthread_mutex_t change_lock;
  double change; /* the largest of this sweep so far */
  int is_done;
  Solution solution;
} Team;

typedef struct {
  Team* team;
  int number;
  pthread_t thread;
} Member;

static void tell_change(Team* team, double change) {
#ifdef BUG
  if (change <= team->change) return; /* BUG: it spares the lock, and looks without it */
#endif
  pthread_mutex_lock(&team->change_lock);
  team->change = fmax(team->change, change);
  pthread_mutex_unlock(&team->change_lock);
}

/* By one of them, while the others wait. */
static void end_sweep(Team* team) {
  const double tolerance = 1e-6;
  ++team->solution.sweeps;
  team->solution.change = team->change;
  team->is_done = team->change < tolerance || team->solution.sweeps == team->sweeps_max;
  team->change = 0;
}

static void sweep(Team* team, int first, int last) {
  double change = grid_relax(team->grid, red, first, last);
  pthread_barrier_wait(&team->barrier);
  change = fmax(change, grid_relax(team->grid, black, first, last));
  tell_change(team, change);
}

static void* run_member(void* argument) {
  const Member* member = argument;
  Team* team = member->team;
  const long size = team->grid->size;
  const int first = 1 + (int)(size * member->number / team->threads);
  const int last = 1 + (int)(size * (member->number + 1) / team->threads);
  while (!team->is_done) {
    sweep(team, first, last);
    if (pthread_barrier_wait(&team->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) end_sweep(team);
    pthread_barrier_wait(&team->barrier);
  }
  return NULL;
}

Solution solve(Grid* grid, int threads, int sweeps_max) {
  Team team = {.grid = grid, .threads = threads, .sweeps_max = sweeps_max};
  pthread_barrier_init(&team.barrier, NULL, (unsigned)threads);
  pthread_mutex_init(&team.change_lock, NULL);
  Member* members = calloc((size_t)threads, sizeof(Member));
  for (int i = 0; i < threads; ++i) {
    members[i].team = &team;
    members[i].number = i;
    if (i > 0 && pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0) {
      fprintf(stderr, "ocean: cannot start thread %d\n", i);
      exit(2);
    }
  }
  run_member(&members[0]);
  for (int i = 1; i < threads; ++i) pthread_join(members[i].thread, NULL);
  free(members);
  pthread_mutex_destroy(&team.change_lock);
  pthread_barrier_destroy(&team.barrier);
  return team.solution;
}
