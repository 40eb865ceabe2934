/* A barrier of a mutex and a condition variable, for systems without pthread_barrier_t. */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t all_here;
  int members;
  int arrived;
  unsigned long round;
} Barrier;

void barrier_init(Barrier* barrier, int members);
void barrier_wait(Barrier* barrier);
void barrier_destroy(Barrier* barrier);

#endif
