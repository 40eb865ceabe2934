/* many COUNT: so many threads at once: each waits until all are there, then adds its number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static long threads, arrived, sum;

static void* meet(void* number) {
  pthread_mutex_lock(&lock);
  if (++arrived == threads) pthread_cond_broadcast(&all_here);
  while (arrived < threads) pthread_cond_wait(&all_here, &lock);
  sum += *(long*)number;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char** argv) {
  threads = argc > 1 ? atol(argv[1]) : 100;
  pthread_t* const all = calloc((size_t)threads, sizeof(pthread_t));
  long* const numbers = calloc((size_t)threads, sizeof(long));
  /* 10,000 stacks of 8 MB are more than some machines lend. */
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  for (long i = 0; i < threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&all[i], &attributes, meet, &numbers[i]) != 0) return 2;
  }
  for (long i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  printf("%ld\n", sum);
  free(numbers);
  free(all);
  return sum != threads * (threads - 1) / 2;
}
