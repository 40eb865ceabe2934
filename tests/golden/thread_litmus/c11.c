/* The threads of C11. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "litmus.h"

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static atomic_int x, y;
static int plain;

static int add_locked(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  const int before = plain;
  atomic_fetch_add(&y, 1);
  plain = before + 1;
  mtx_unlock(&mutex);
  return 4;
}
static int c11_mutex(void) {
  thrd_t a, b;
  int first = 0, second = 0;
  mtx_init(&mutex, mtx_plain);
  thrd_create(&a, add_locked, NULL);
  thrd_create(&b, add_locked, NULL);
  thrd_join(a, &first);
  thrd_join(b, &second);
  mtx_destroy(&mutex);
  return plain * 100 + first * 10 + second;
}

static int try_it(void* unused) {
  (void)unused;
  struct timespec when;
  timespec_get(&when, TIME_UTC);
  x = mtx_trylock(&mutex) == thrd_busy;
  return mtx_timedlock(&mutex, &when) == thrd_timedout;
}
static int c11_tries(void) {
  thrd_t thread;
  int timed_out = 0;
  mtx_init(&mutex, mtx_timed);
  mtx_lock(&mutex);
  thrd_create(&thread, try_it, NULL);
  thrd_join(thread, &timed_out);
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  return x * 10 + timed_out;
}

static int announce(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  plain = 1;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
  return 0;
}
static int c11_condition(void) {
  thrd_t thread;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  thrd_create(&thread, announce, NULL);
  mtx_lock(&mutex);
  while (plain == 0) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  thrd_join(thread, NULL);
  cnd_destroy(&changed);
  mtx_destroy(&mutex);
  return plain;
}

static void add_ten(void) {
  x += 10;
}
static void drop(void* value) {
  y += (int)(intptr_t)value;
}
static int use_once_and_slot(void* unused) {
  (void)unused;
  call_once(&once, add_ten);
  if (tss_get(slot) == NULL) tss_set(slot, (void*)2);
  thrd_yield();
  thrd_exit(0);
}
static int c11_once_and_slots(void) {
  thrd_t a, b;
  tss_create(&slot, drop);
  thrd_create(&a, use_once_and_slot, NULL);
  thrd_create(&b, use_once_and_slot, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  return x + y;
}

static int set_x(void* unused) {
  (void)unused;
  x = 1;
  return 0;
}
static int c11_detached(void) {
  thrd_t thread;
  thrd_create(&thread, set_x, NULL);
  thrd_detach(thread);
  const struct timespec pause = {0, 300000000};
  if (thrd_sleep(&pause, NULL) != 0) return 9;
  return x;
}

const Litmus litmus_c11[] = {
    {"c11_mutex", c11_mutex},         {"c11_tries", c11_tries},
    {"c11_condition", c11_condition}, {"c11_once_and_slots", c11_once_and_slots},
    {"c11_detached", c11_detached},   {NULL, NULL}};
