#include "barrier.h"

void barrier_init(Barrier* barrier, int members) {
  pthread_mutex_init(&barrier->lock, NULL);
  pthread_cond_init(&barrier->all_here, NULL);
  barrier->members = members;
  barrier->arrived = 0;
  barrier->round = 0;
}

void barrier_wait(Barrier* barrier) {
  pthread_mutex_lock(&barrier->lock);
  const unsigned long round = barrier->round;
  if (++barrier->arrived == barrier->members) {
    barrier->arrived = 0;
    ++barrier->round;
    pthread_cond_broadcast(&barrier->all_here);
  }
#ifdef BUG
  while (barrier->arrived != 0) { /* who is fast arrives again before the slow have woken */
    pthread_cond_wait(&barrier->all_here, &barrier->lock); /* BUG: waits for another round */
  }
  (void)round;
#else
  while (barrier->round == round) pthread_cond_wait(&barrier->all_here, &barrier->lock);
#endif
  pthread_mutex_unlock(&barrier->lock);
}

void barrier_destroy(Barrier* barrier) {
  pthread_cond_destroy(&barrier->all_here);
  pthread_mutex_destroy(&barrier->lock);
}
