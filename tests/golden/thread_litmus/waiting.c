/* Condition variables, barriers and semaphores. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "litmus.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int x, y;
static int tokens, waiting;

static struct timespec in_ms(clockid_t clock, long ms) {
  struct timespec when;
  clock_gettime(clock, &when);
  when.tv_nsec += ms * 1000000;
  when.tv_sec += when.tv_nsec / 1000000000;
  when.tv_nsec %= 1000000000;
  return when;
}

/* A signal wakes one of those that wait; whoever gets the first token notes its number. */
static void* take_token(void* number) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  while (tokens == 0) pthread_cond_wait(&changed, &mutex);
  --tokens;
  if (x == 0) x = *(int*)number;
  pthread_mutex_unlock(&mutex);
  return NULL;
}
static int signalled(void) {
  static int numbers[] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_token, &numbers[i]);
  for (int given = 0; given < 2; ++given) {
    pthread_mutex_lock(&mutex);
    ++tokens;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return x;
}

static int broadcast(void) {
  static int numbers[] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_token, &numbers[i]);
  pthread_mutex_lock(&mutex);
  tokens = 2;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return tokens * 10 + waiting;
}

/* A wait by a deadline ends by the signal, or by the time; never both ways. */
static void* wait_by_deadline(void* use_clock) {
  pthread_mutex_lock(&mutex);
  const clockid_t clock = use_clock ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  const struct timespec when = in_ms(clock, 1);
  int result = 0;
  while (tokens == 0 && result == 0) {
    result = use_clock ? pthread_cond_clockwait(&changed, &mutex, clock, &when)
                       : pthread_cond_timedwait(&changed, &mutex, &when);
  }
  x = tokens > 0 ? 1 : 2;
  if (result != 0 && result != ETIMEDOUT) x = 3;
  pthread_mutex_unlock(&mutex);
  return NULL;
}
static int deadline(void* use_clock, long give_after_ms) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_by_deadline, use_clock);
  const struct timespec pause = {0, give_after_ms * 1000000};
  nanosleep(&pause, NULL);
  pthread_mutex_lock(&mutex);
  tokens = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return x;
}
static int wait_times_out(void) {
  return deadline(NULL, 500);
}
static int clock_wait_times_out(void) {
  return deadline(&x, 500);
}
static int wait_or_signal(void) {
  return deadline(NULL, 1);
}

/* Without a test of the state the signal can come too soon: then the wait never ends. */
static void* wait_blindly(void* unused) {
  pthread_mutex_lock(&mutex);
  const struct timespec when = in_ms(CLOCK_REALTIME, 200);
  x = pthread_cond_timedwait(&changed, &mutex, &when) == 0 ? 1 : 2;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static int signal_too_soon(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_blindly, NULL);
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return x;
}

/* Exactly one of those that meet is the serial one, at each meeting. */
static pthread_barrier_t barrier;
static void* meet_twice(void* unused) {
  for (int round = 0; round < 2; ++round) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++x;
    if (atomic_fetch_add(&y, 1) < 2 * round) x = 90;
    pthread_barrier_wait(&barrier);
  }
  return unused;
}
static int barrier_serial(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(meet_twice, meet_twice);
  pthread_barrier_destroy(&barrier);
  return x;
}

/* Never more than two inside, and two at times. */
static sem_t places;
static void* be_inside(void* unused) {
  sem_wait(&places);
  const int inside = atomic_fetch_add(&x, 1) + 1;
  int most = atomic_load(&y);
  while (inside > most && !atomic_compare_exchange_strong(&y, &most, inside)) {
  }
  atomic_fetch_sub(&x, 1);
  sem_post(&places);
  return unused;
}
static int semaphore_of_two(void) {
  sem_init(&places, 0, 2);
  pthread_t third;
  pthread_create(&third, NULL, be_inside, NULL);
  run_both(be_inside, be_inside);
  pthread_join(third, NULL);
  int value = 0;
  sem_getvalue(&places, &value);
  sem_destroy(&places);
  return y * 10 + value;
}

static int semaphore_tries(void) {
  sem_init(&places, 0, 1);
  const struct timespec when = in_ms(CLOCK_REALTIME, 1);
  const int first = sem_trywait(&places) == 0;
  const int busy = sem_trywait(&places) == -1 && errno == EAGAIN;
  const int late = sem_timedwait(&places, &when) == -1 && errno == ETIMEDOUT;
  sem_destroy(&places);
  return first * 100 + busy * 10 + late;
}

static sem_t* named;
static void* post_named(void* unused) {
  x = 1;
  sem_post(named);
  return unused;
}
static int named_semaphore(void) {
  named = sem_open("/orrery-litmus", O_CREAT, 0600, 0);
  if (named == SEM_FAILED) return 9;
  sem_unlink("/orrery-litmus");
  pthread_t thread;
  pthread_create(&thread, NULL, post_named, NULL);
  sem_wait(named);
  const int seen = x;
  pthread_join(thread, NULL);
  sem_close(named);
  return seen;
}

/* Who is cancelled while it waits has the mutex again when it cleans up, and gives it back. */
static void give_back(void* held) {
  pthread_mutex_unlock(held);
}
static void* wait_for_nothing(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(give_back, &mutex);
  while (1) pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}
static int cancelled_waiter(void) {
  pthread_t thread;
  void* value = NULL;
  pthread_create(&thread, NULL, wait_for_nothing, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &value);
  return (value == PTHREAD_CANCELED) * 10 + (pthread_mutex_trylock(&mutex) == 0);
}

/* Who is cancelled has taken nothing. */
static void* take_place(void* unused) {
  sem_wait(&places);
  return unused;
}
static int cancelled_taker(void) {
  sem_init(&places, 0, 0);
  pthread_t thread;
  void* value = NULL;
  int left = 0;
  pthread_create(&thread, NULL, take_place, NULL);
  sem_post(&places);
  pthread_cancel(thread);
  pthread_join(thread, &value);
  sem_getvalue(&places, &left);
  return (value == PTHREAD_CANCELED ? 10 : 1) + left;
}

const Litmus litmus_waiting[] = {{"signalled", signalled},
                                 {"broadcast", broadcast},
                                 {"wait_times_out", wait_times_out},
                                 {"clock_wait_times_out", clock_wait_times_out},
                                 {"wait_or_signal", wait_or_signal},
                                 {"signal_too_soon", signal_too_soon},
                                 {"barrier_serial", barrier_serial},
                                 {"semaphore_of_two", semaphore_of_two},
                                 {"semaphore_tries", semaphore_tries},
                                 {"named_semaphore", named_semaphore},
                                 {"cancelled_waiter", cancelled_waiter},
                                 {"cancelled_taker", cancelled_taker},
                                 {NULL, NULL}};
