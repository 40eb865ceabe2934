/* What threads do with one another through the kernel: futexes, descriptors, clocks, signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "litmus.h"

static atomic_int x, y;
static int descriptors[2];

static long futex(atomic_int* word, int operation, int value) {
  return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}
static void* wake_by_futex(void* unused) {
  x = 1;
  futex(&x, FUTEX_WAKE_PRIVATE, 1);
  return unused;
}
/* 1: it waited; 2: the word had changed already. */
static int raw_futex(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wake_by_futex, NULL);
  int waited = 0;
  while (x == 0) {
    if (futex(&x, FUTEX_WAIT_PRIVATE, 0) == 0) {
      waited = 1;
    } else if (errno != EAGAIN) {
      return 9;
    }
  }
  pthread_join(thread, NULL);
  return waited ? 1 : 2;
}

static void* write_two(void* unused) {
  if (write(descriptors[1], "a", 1) != 1) x = 90;
  y = 1;
  if (write(descriptors[1], "bc", 2) != 2) x = 91;
  close(descriptors[1]);
  return unused;
}
/* How many reads it takes to the end of the stream: the last one gives 0. */
static int read_all(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_two, NULL);
  char text[8] = "";
  int used = 0, reads = 0;
  for (ssize_t count = 1; count > 0; ++reads) {
    count = read(descriptors[0], text + used, sizeof text - (size_t)used);
    if (count > 0) used += (int)count;
  }
  pthread_join(thread, NULL);
  close(descriptors[0]);
  return strcmp(text, "abc") == 0 ? reads + x : 99;
}
static int through_pipe(void) {
  return pipe(descriptors) == 0 ? read_all() : 98;
}
static int through_sockets(void) {
  return socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors) == 0 ? read_all() : 98;
}

static void* add_to_event(void* unused) {
  const uint64_t three = 3;
  if (write(descriptors[0], &three, sizeof three) != sizeof three) x = 90;
  return unused;
}
static int through_eventfd(void) {
  descriptors[0] = eventfd(0, 0);
  if (descriptors[0] < 0) return 98;
  pthread_t thread;
  uint64_t value = 0;
  pthread_create(&thread, NULL, add_to_event, NULL);
  if (read(descriptors[0], &value, sizeof value) != sizeof value) return 97;
  pthread_join(thread, NULL);
  close(descriptors[0]);
  return (int)value + x;
}

/* 1: there is something to read in time; 0: there is not yet. */
static int polled(int timeout_ms) {
  if (pipe(descriptors) != 0) return 98;
  pthread_t thread;
  pthread_create(&thread, NULL, write_two, NULL);
  struct pollfd wanted = {.fd = descriptors[0], .events = POLLIN};
  const int ready = poll(&wanted, 1, timeout_ms);
  pthread_join(thread, NULL);
  close(descriptors[0]);
  return ready == 1 ? (wanted.revents & POLLIN) != 0 : ready;
}
static int poll_waits(void) {
  return polled(-1);
}
static int poll_at_once(void) {
  return polled(0);
}

/* Who sleeps less is first; the clock moves by what was slept. */
static void* sleep_long(void* unused) {
  usleep(200000);
  if (x == 0) x = 2;
  return unused;
}
static void* sleep_short(void* unused) {
  const struct timespec pause = {0, 1000000};
  nanosleep(&pause, NULL);
  if (x == 0) x = 1;
  return unused;
}
static int sleepers(void) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  run_both(sleep_long, sleep_short);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const long ms =
      (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  return x * 10 + (ms >= 199);
}

static void on_signal(int signal) {
  x = signal == SIGUSR1 ? 1 : 2;
}
static int own_signal(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  const int raised = x;
  x = 0;
  kill(getpid(), SIGUSR1);
  return raised * 10 + x;
}

/* Draws: in the range, and not always the same. */
static int random_numbers(void) {
  unsigned char bytes[16] = {0}, others[16] = {0};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 98;
  if (getrandom(others, sizeof others, 0) != sizeof others) return 98;
  return memcmp(bytes, others, sizeof bytes) != 0;
}

const Litmus litmus_kernel[] = {{"raw_futex", raw_futex},
                                {"through_pipe", through_pipe},
                                {"through_sockets", through_sockets},
                                {"through_eventfd", through_eventfd},
                                {"poll_waits", poll_waits},
                                {"poll_at_once", poll_at_once},
                                {"sleepers", sleepers},
                                {"own_signal", own_signal},
                                {"random_numbers", random_numbers},
                                {NULL, NULL}};
