/* Signals that a program sends itself; under the simulated machine it writes ok. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t got, alarms, usr2;
static sigjmp_buf env;
static void on(int s) {
  got = s;
}
static void fault(int s) {
  siglongjmp(env, s);
}
static void on_alarm(int s) {
  alarms++;
}
static void on2(int s) {
  usr2 = 1;
}
#define CHECK(x)                             \
  do {                                       \
    if (!(x)) {                              \
      printf("line %d: %s\n", __LINE__, #x); \
      exit(1);                               \
    }                                        \
  } while (0)
static void* waiter(void* a) {
  sigset_t set;
  int s;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigwait(&set, &s);
  return (void*)(long)s;
}
static void* sleeper(void* a) {
  struct timespec d = {100, 0}, r;
  int e = nanosleep(&d, &r);
  return (void*)(long)(e == -1 && errno == EINTR && r.tv_sec >= 98);
}
int main(void) {
  pthread_t t;
  void* r;
  sigset_t set, old;
  signal(SIGTERM, on);
  raise(SIGTERM);
  CHECK(got == SIGTERM);
  struct sigaction sa = {0};
  sa.sa_handler = on;
  sigaction(SIGUSR1, &sa, NULL);
  kill(getpid(), SIGUSR1);
  CHECK(got == SIGUSR1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  got = 0;
  sigprocmask(SIG_BLOCK, &set, &old);
  kill(getpid(), SIGUSR1);
  CHECK(got == 0);
  sigpending(&old);
  CHECK(sigismember(&old, SIGUSR1));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  CHECK(got == SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  pthread_create(&t, NULL, waiter, NULL);
  kill(getpid(), SIGUSR1);
  pthread_join(t, &r);
  CHECK((long)r == SIGUSR1);
  signal(SIGSEGV, fault);
  if (sigsetjmp(env, 1) == 0) {
    *(volatile int*)0 = 1;
    CHECK(0);
  }
  if (sigsetjmp(env, 1) == 0) {
    *(volatile int*)8 = 1;
    CHECK(0);
  }
  signal(SIGALRM, on_alarm);
  alarm(2);
  CHECK(sleep(10) == 8);
  CHECK(alarms == 1);
  struct itimerval iv = {{0, 500000}, {0, 500000}};
  setitimer(ITIMER_REAL, &iv, NULL);
  while (alarms < 4) pause();
  iv.it_value.tv_usec = 0;
  setitimer(ITIMER_REAL, &iv, NULL);
  signal(SIGUSR2, on2);
  pthread_create(&t, NULL, sleeper, NULL);
  sleep(1);
  pthread_kill(t, SIGUSR2);
  pthread_join(t, &r);
  CHECK(r && usr2);
  signal(SIGPIPE, SIG_IGN);
  raise(SIGPIPE);
  raise(SIGCHLD);
  puts("ok");
  return 0;
}
