/* Threads: their beginnings and ends, and what is a thread's own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "litmus.h"

static atomic_int x, y, seen_x, seen_y;

/* Who is first: 1 or 2. */
static void* say_1(void* unused) {
  int none = 0;
  atomic_compare_exchange_strong(&x, &none, 1);
  return unused;
}
static void* say_2(void* unused) {
  int none = 0;
  atomic_compare_exchange_strong(&x, &none, 2);
  return unused;
}
static int first_of_two(void) {
  run_both(say_1, say_2);
  return x;
}

/* Both read 0: not with sequential consistency. */
static void* store_x(void* unused) {
  atomic_store(&x, 1);
  atomic_store(&seen_y, atomic_load(&y));
  return unused;
}
static void* store_y(void* unused) {
  atomic_store(&y, 1);
  atomic_store(&seen_x, atomic_load(&x));
  return unused;
}
static int store_buffering(void) {
  run_both(store_x, store_y);
  return seen_x * 2 + seen_y;
}

/* An increment in two steps gets lost, one in one step does not. */
static void* add_in_two(void* unused) {
  atomic_store(&x, atomic_load(&x) + 1);
  return unused;
}
static int lost_increment(void) {
  run_both(add_in_two, add_in_two);
  return x;
}
static void* add_in_one(void* unused) {
  atomic_fetch_add(&x, 1);
  return unused;
}
static int kept_increment(void) {
  run_both(add_in_one, add_in_one);
  return x;
}

static void* exit_with_7(void* unused) {
  (void)unused;
  pthread_exit((void*)7);
}
static int exit_value(void) {
  pthread_t thread;
  void* value = NULL;
  pthread_create(&thread, NULL, exit_with_7, NULL);
  pthread_join(thread, &value);
  return (int)(intptr_t)value;
}

/* A detached thread may be late, or never be seen to end. */
static int detached(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add_in_one, NULL);
  pthread_detach(thread);
  return x;
}

static int self_join(void) {
  return pthread_join(pthread_self(), NULL);
}

static void clean_up(void* unused) {
  (void)unused;
  atomic_fetch_add(&y, 10);
}
static void* wait_for_cancel(void* unused) {
  pthread_cleanup_push(clean_up, NULL);
  for (int i = 0; i < 3; ++i) {
    atomic_fetch_add(&x, 1);
    pthread_testcancel();
  }
  pthread_cleanup_pop(0);
  return unused;
}
/* 3: not cancelled; 11 to 13: cancelled after so many rounds. */
static int cancelled(void) {
  pthread_t thread;
  void* value = NULL;
  pthread_create(&thread, NULL, wait_for_cancel, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &value);
  if ((value == PTHREAD_CANCELED) != (y == 10)) return 99;
  return x + y;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void add_ten(void) {
  atomic_fetch_add(&x, 10);
}
static void* add_ten_once(void* unused) {
  pthread_once(&once, add_ten);
  if (x < 10) atomic_store(&y, 1);
  return unused;
}
static int once_only(void) {
  run_both(add_ten_once, add_ten_once);
  return x + y;
}

static pthread_key_t key;
static void destroy_value(void* value) {
  atomic_fetch_add(&x, (int)(intptr_t)value);
}
static void* set_value(void* unused) {
  if (pthread_getspecific(key) != NULL) atomic_store(&y, 100);
  pthread_setspecific(key, (void*)3);
  return unused;
}
static int key_destructors(void) {
  pthread_key_create(&key, destroy_value);
  pthread_setspecific(key, (void*)50);
  run_both(set_value, set_value);
  return x + y + ((intptr_t)pthread_getspecific(key) == 50 ? 0 : 1000);
}

static __thread int own = 5;
static void* count_own(void* unused) {
  for (int i = 0; i < 3; ++i) {
    ++own;
    atomic_fetch_add(&y, 0);
  }
  if (own == 8) atomic_fetch_add(&x, 1);
  return unused;
}
static int thread_local_values(void) {
  run_both(count_own, count_own);
  return x * 10 + own;
}

static void* name_oneself(void* unused) {
  char name[16] = "";
  pthread_setname_np(pthread_self(), "named");
  pthread_getname_np(pthread_self(), name, sizeof name);
  x = strcmp(name, "named") == 0;
  return unused;
}
static int names(void) {
  run_both(name_oneself, name_oneself);
  return x;
}

/* `main` may leave by pthread_exit: the others go on. */
static void* end_process(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) atomic_fetch_add(&x, 1);
  exit(x == 3 ? 0 : 1);
}
static int main_exits_first(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_process, NULL);
  pthread_exit(NULL);
}

const Litmus litmus_threads[] = {{"first_of_two", first_of_two},
                                 {"store_buffering", store_buffering},
                                 {"lost_increment", lost_increment},
                                 {"kept_increment", kept_increment},
                                 {"exit_value", exit_value},
                                 {"detached", detached},
                                 {"self_join", self_join},
                                 {"cancelled", cancelled},
                                 {"once_only", once_only},
                                 {"key_destructors", key_destructors},
                                 {"thread_local_values", thread_local_values},
                                 {"names", names},
                                 {"main_exits_first", main_exits_first},
                                 {NULL, NULL}};
