/* Mutexes of every type, reader-writer locks and spinlocks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "litmus.h"

static pthread_mutex_t mutex;
static int plain;
static atomic_int x, y;

static void init_mutex(int type, int robustness) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec when;
  clock_gettime(clock, &when);
  when.tv_nsec += ms * 1000000;
  when.tv_sec += when.tv_nsec / 1000000000;
  when.tv_nsec %= 1000000000;
  return when;
}

static void* add_locked(void* unused) {
  pthread_mutex_lock(&mutex);
  const int before = plain;
  atomic_fetch_add(&y, 1);
  plain = before + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static int exclusion(int type) {
  init_mutex(type, PTHREAD_MUTEX_STALLED);
  run_both(add_locked, add_locked);
  return plain;
}
static int normal_mutex(void) {
  return exclusion(PTHREAD_MUTEX_NORMAL);
}
static int adaptive_mutex(void) {
  return exclusion(PTHREAD_MUTEX_ADAPTIVE_NP);
}

static int recursive_mutex(void) {
  init_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  const int tried = pthread_mutex_trylock(&mutex);
  int result = tried == 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) result = result * 2 + (pthread_mutex_unlock(&mutex) == 0);
  return result;
}

static void* unlock_theirs(void* unused) {
  x = pthread_mutex_unlock(&mutex) == EPERM;
  return unused;
}
static int error_checking_mutex(void) {
  init_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  const int again = pthread_mutex_lock(&mutex) == EDEADLK;
  pthread_create(&thread, NULL, unlock_theirs, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&mutex);
  return again * 10 + x;
}

static void* hold_for_a_while(void* unused) {
  pthread_mutex_lock(&mutex);
  y = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* try_it(void* unused) {
  const int result = pthread_mutex_trylock(&mutex);
  x = result == EBUSY ? 1 : 2;
  if (result == 0) pthread_mutex_unlock(&mutex);
  return unused;
}
static int try_lock(void) {
  init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  run_both(hold_for_a_while, try_it);
  return x;
}

static void* lock_by_deadline(void* use_clock) {
  const clockid_t clock = use_clock ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  const struct timespec when = in_ms(clock, 5);
  x = use_clock ? pthread_mutex_clocklock(&mutex, clock, &when)
                : pthread_mutex_timedlock(&mutex, &when);
  return NULL;
}
static int deadline(void* use_clock) {
  init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, lock_by_deadline, use_clock);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&mutex);
  return x == ETIMEDOUT;
}
static int timed_lock(void) {
  return deadline(NULL);
}
static int clock_lock(void) {
  return deadline(&mutex);
}

static void* die_with_lock(void* unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}
static int robust_mutex(void) {
  init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  pthread_t thread;
  pthread_create(&thread, NULL, die_with_lock, NULL);
  pthread_join(thread, NULL);
  const int died = pthread_mutex_lock(&mutex) == EOWNERDEAD;
  pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  const int fine = pthread_mutex_lock(&mutex) == 0;
  pthread_mutex_unlock(&mutex);
  return died * 10 + fine;
}

static pthread_rwlock_t rw_lock = PTHREAD_RWLOCK_INITIALIZER;
static void* read_together(void* unused) {
  pthread_rwlock_rdlock(&rw_lock);
  const int inside = atomic_fetch_add(&x, 1) + 1;
  if (inside > y) y = inside;
  atomic_fetch_sub(&x, 1);
  pthread_rwlock_unlock(&rw_lock);
  return unused;
}
static int readers_meet(void) {
  run_both(read_together, read_together);
  return y;
}
static void* write_alone(void* unused) {
  pthread_rwlock_wrlock(&rw_lock);
  const int inside = atomic_fetch_add(&x, 1) + 1;
  if (inside > y) y = inside;
  atomic_fetch_sub(&x, 1);
  pthread_rwlock_unlock(&rw_lock);
  return unused;
}
static int writer_is_alone(void) {
  run_both(write_alone, read_together);
  return y;
}
static void* try_while_read(void* unused) {
  const struct timespec when = in_ms(CLOCK_REALTIME, 2);
  x = (pthread_rwlock_trywrlock(&rw_lock) == EBUSY) +
      10 * (pthread_rwlock_timedwrlock(&rw_lock, &when) == ETIMEDOUT) +
      100 * (pthread_rwlock_tryrdlock(&rw_lock) == 0);
  pthread_rwlock_unlock(&rw_lock);
  return unused;
}
static int rw_lock_tries(void) {
  pthread_t thread;
  pthread_rwlock_rdlock(&rw_lock);
  pthread_create(&thread, NULL, try_while_read, NULL);
  pthread_join(thread, NULL);
  pthread_rwlock_unlock(&rw_lock);
  return x;
}

static pthread_spinlock_t spin;
static void* add_spinning(void* unused) {
  pthread_spin_lock(&spin);
  const int before = plain;
  atomic_fetch_add(&y, 1);
  plain = before + 1;
  pthread_spin_unlock(&spin);
  return unused;
}
static int spinlock(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_both(add_spinning, add_spinning);
  return plain * 10 + (pthread_spin_trylock(&spin) == 0);
}

const Litmus litmus_mutexes[] = {{"normal_mutex", normal_mutex},
                                 {"adaptive_mutex", adaptive_mutex},
                                 {"recursive_mutex", recursive_mutex},
                                 {"error_checking_mutex", error_checking_mutex},
                                 {"try_lock", try_lock},
                                 {"timed_lock", timed_lock},
                                 {"clock_lock", clock_lock},
                                 {"robust_mutex", robust_mutex},
                                 {"readers_meet", readers_meet},
                                 {"writer_is_alone", writer_is_alone},
                                 {"rw_lock_tries", rw_lock_tries},
                                 {"spinlock", spinlock},
                                 {NULL, NULL}};
