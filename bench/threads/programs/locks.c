/* locks COUNT: locks and unlocks a mutex; a second thread is there, but waits all the time. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void* wait_for_gate(void* unused) {
  pthread_mutex_lock(&gate);
  while (!is_open) pthread_cond_wait(&opened, &gate);
  pthread_mutex_unlock(&gate);
  return unused;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1000;
  pthread_t waiting;
  if (pthread_create(&waiting, NULL, wait_for_gate, NULL) != 0) return 2;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&mutex);
    sum += i;
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&gate);
  is_open = 1;
  pthread_cond_signal(&opened);
  pthread_mutex_unlock(&gate);
  pthread_join(waiting, NULL);
  return sum != count * (count - 1) / 2;
}
