/* creations COUNT: creates a thread that does next to nothing and joins it, again and again. */
#include <pthread.h>
#include <stdlib.h>

static void* add_one(void* sum) {
  ++*(long*)sum;
  return NULL;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1000;
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, add_one, &sum) != 0) return 2;
    pthread_join(thread, NULL);
  }
  return sum != count;
}
