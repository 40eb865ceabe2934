/* Has STATE_BYTES of static memory that is not all zero, and writes TOUCHED_BYTES of it in each
 * run. */
#include <pthread.h>

#ifndef STATE_BYTES
#define STATE_BYTES 1024
#endif
#ifndef TOUCHED_BYTES
#define TOUCHED_BYTES 1024
#endif

static char state[STATE_BYTES] = {1};

static void* touch(void* unused) {
  for (long i = 0; i < TOUCHED_BYTES; i += 64) ++state[i];
  return unused;
}

int main(void) {
  /* Each run begins with what the program's file says, not with what the last run left. */
  for (long i = 0; i < TOUCHED_BYTES; i += 64) {
    if (state[i] != (i == 0)) return 1;
  }
  pthread_t thread;
  if (pthread_create(&thread, 0, touch, 0) != 0) return 2;
  pthread_join(thread, 0);
  return state[0] != 2;
}
