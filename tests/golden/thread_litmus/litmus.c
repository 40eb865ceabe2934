#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Litmus* find(const char* name, const Litmus* const* tables) {
  for (; *tables != NULL; ++tables) {
    for (const Litmus* one = *tables; one->name != NULL; ++one) {
      if (strcmp(one->name, name) == 0) return one;
    }
  }
  return NULL;
}

int litmus_main(int argc, char** argv, const Litmus* const* tables) {
  const Litmus* const litmus = argc > 2 ? find(argv[1], tables) : NULL;
  if (litmus == NULL) {
    fprintf(stderr, "usage: litmus NAME is|within OUTCOME...\n");
    return 2;
  }
  const int outcome = litmus->run();
  int is_among = 0;
  for (int i = 3; i < argc; ++i) is_among |= atoi(argv[i]) == outcome;
  printf("%s: %d\n", litmus->name, outcome);
  return strcmp(argv[2], "is") == 0 ? is_among : !is_among;
}

void run_both(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, first, NULL) != 0) exit(2);
  if (pthread_create(&b, NULL, second, NULL) != 0) exit(2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
