/* Threads that recover from faults of their own, at the same time: each handler works where its
 * thread wants it to, and others may go on meanwhile. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(x)                                      \
  do {                                                \
    if (!(x)) {                                       \
      printf("%d: %s does not hold\n", __LINE__, #x); \
      exit(1);                                        \
    }                                                 \
  } while (0)
enum { THREADS = 3, ROUNDS = 3, STACK = 65536 };

static _Atomic int segments, divisions, instructions, pages, overflows;
static __thread sigjmp_buf back;
static __thread char* wanted_stack; /* NULL: the thread's own */
static __thread char* page;
static char* beyond; /* mapped, but past the end of its file */

/* Others fault here meanwhile. */
static void meet_others(_Atomic int* count) {
  char own[512];
  memset(own, (int)(intptr_t)&back >> 4 & 0x7f, sizeof own);
  char first = own[0];
  for (int i = 0; i < 4; ++i) ++*count;
  *count -= 3;
  for (unsigned i = 0; i < sizeof own; ++i) CHECK(own[i] == first);
}

static void check_stack(const char* local) {
  int is_on_wanted = wanted_stack != NULL && local >= wanted_stack && local < wanted_stack + STACK;
  CHECK(is_on_wanted == (wanted_stack != NULL));
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0);
  CHECK(now.ss_flags == (wanted_stack != NULL ? SS_ONSTACK : SS_DISABLE));
  if (wanted_stack != NULL) CHECK(sigaltstack(&now, NULL) == -1);
}

static void on_division(int signal) {
  meet_others(&divisions);
  siglongjmp(back, signal);
}

/* Within it the thread faults in another way, and goes on here. */
static void on_segment(int signal, siginfo_t* info, void* context) {
  char local;
  (void)context;
  check_stack(&local);
  CHECK(info->si_signo == signal);
  meet_others(&segments);
  if (info->si_addr == page) {
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    return; /* the store is done again */
  }
  if (info->si_addr == (void*)16) {
    sigjmp_buf before;
    memcpy(&before, &back, sizeof back);
    volatile int zero = 0;
    if (sigsetjmp(back, 1) == 0) {
      zero = 7 / zero;
      CHECK(0);
    }
    memcpy(&back, &before, sizeof back);
  }
  siglongjmp(back, signal);
}

static void on_overflow(int signal) {
  meet_others(&overflows);
  siglongjmp(back, signal);
}

static void on_instruction(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)info;
  meet_others(&instructions);
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void on_page(int signal) {
  meet_others(&pages);
  siglongjmp(back, signal);
}

static void fault_at(intptr_t address) {
  if (sigsetjmp(back, 1) == 0) {
    *(volatile int*)address = 1;
    CHECK(0);
  }
}

static void fault_in_each_way(void) {
  fault_at(8);
  fault_at(16);
  volatile int zero = 0;
  int got = sigsetjmp(back, 1);
  if (got == 0) zero = 7 / zero;
  CHECK(got == SIGFPE);
  double sum = 0.5;
  for (int i = 0; i < 3; ++i) {
    register double kept __asm__("xmm7") = sum;
    register long number __asm__("r12") = i;
    __asm__ volatile("ud2" : "+x"(kept), "+r"(number));
    CHECK(number == i);
    sum = kept + 1.0;
  }
  CHECK(sum == 3.5);
  mprotect(page, 4096, PROT_NONE);
  *(volatile int*)page = 7;
  CHECK(*(volatile int*)page == 7);
  got = sigsetjmp(back, 1);
  if (got == 0) *(volatile char*)beyond = 1;
  CHECK(got == SIGBUS);
}

static int use_up(int depth) {
  volatile char room[4096];
  room[depth % 4096] = 1;
  return use_up(depth + 1) + room[0];
}

static void* work(void* argument) {
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < ROUNDS; ++i) {
    if (((intptr_t)argument + i) % 2 == 0) {
      stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
      CHECK(sigaltstack(&stack, NULL) == 0);
      wanted_stack = stack.ss_sp;
    }
    fault_in_each_way();
    if (wanted_stack == NULL) continue;
    stack_t none = {.ss_flags = SS_DISABLE}, before;
    CHECK(sigaltstack(&none, &before) == 0 && before.ss_sp == wanted_stack);
    free(wanted_stack);
    wanted_stack = NULL;
  }
  return NULL;
}

static void* overflow(void* argument) {
  (void)argument;
  static char stacks[THREADS][STACK];
  static _Atomic int number;
  stack_t stack = {.ss_sp = stacks[number++], .ss_size = STACK};
  CHECK(sigaltstack(&stack, NULL) == 0);
  if (sigsetjmp(back, 1) == 0) use_up(0);
  return NULL;
}

static void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_flags = flags};
  action.sa_sigaction = handler;
  sigaction(signal, &action, NULL);
}

static void run(void* (*function)(void*)) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, function, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

/* With an argument: how deep a thread gets is another matter on another machine. */
int main(int count, char** words) {
  (void)words;
  int file = open("empty", O_RDWR | O_CREAT | O_TRUNC, 0600);
  beyond = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(beyond != MAP_FAILED);
  handle(SIGSEGV, on_segment, SA_SIGINFO | SA_ONSTACK);
  handle(SIGFPE, (void (*)(int, siginfo_t*, void*))on_division, SA_ONSTACK);
  handle(SIGILL, on_instruction, SA_SIGINFO);
  handle(SIGBUS, (void (*)(int, siginfo_t*, void*))on_page, 0);
  run(work);
  handle(SIGSEGV, (void (*)(int, siginfo_t*, void*))on_overflow, SA_ONSTACK);
  if (count == 1) run(overflow);
  printf("%d %d %d %d %d\n", segments, divisions, instructions, pages, overflows);
  return 0;
}
