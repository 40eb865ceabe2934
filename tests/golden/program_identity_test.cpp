// What a program learns of its process and of the machine: the same in every run, everywhere.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* curious = R"(#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t signals;
static pid_t ids[2];
static void count(int signal) { signals += signal == SIGUSR1; }
static void* ask(void* place) {
  *(pid_t*)place = gettid();
  assert(syscall(SYS_gettid) == gettid() && getpid() != gettid());
  assert(prctl(PR_SET_NAME, "curious") == 0);
  char name[16];
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && !strcmp(name, "curious"));
  return place;
}
int main(void) {
  pthread_t threads[2];
  assert(getpid() == gettid() && syscall(SYS_getpid) == getpid() && getpgid(0) == getpgrp());
  for (int i = 0; i < 2; ++i) assert(!pthread_create(&threads[i], 0, ask, &ids[i]));
  clockid_t clock;
  assert(!pthread_getcpuclockid(pthread_self(), &clock));
  assert(!pthread_setschedprio(pthread_self(), 0));
  for (int i = 0; i < 2; ++i) assert(!pthread_join(threads[i], 0));
  assert(ids[0] != ids[1]);
  signal(SIGUSR1, count);
  assert(!kill(getpid(), SIGUSR1) && !syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1));
  union sigval none = {0};
  assert(!sigqueue(getpid(), SIGUSR1, none) && !pthread_sigqueue(pthread_self(), SIGUSR1, none));
  assert(signals == 4);
  struct timespec now, then;
  assert(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) && !clock_gettime(CLOCK_MONOTONIC, &then));
  assert(then.tv_sec - now.tv_sec <= 1);
  char bytes[4];
  assert(syscall(SYS_getrandom, bytes, sizeof bytes, 0) == sizeof bytes);
  assert(syscall(SYS_write, 1, "bare\n", 5) == 5);
  errno = 0;
  assert(syscall(SYS_sched_yield) == 0);
  cpu_set_t cores;
  assert(!sched_getaffinity(0, sizeof cores, &cores) && !sched_setaffinity(0, sizeof cores, &cores));
  struct rlimit limit;
  assert(!getrlimit(RLIMIT_NOFILE, &limit) && !setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
  struct itimerval timer = {{0, 0}, {5, 0}};
  assert(!setitimer(ITIMER_REAL, &timer, 0) && !getitimer(ITIMER_REAL, &timer));
  assert(timer.it_value.tv_sec >= 4);
  alarm(0);
  struct rusage used;
  struct tms ticks;
  assert(!getrusage(RUSAGE_SELF, &used) && times(&ticks) >= 0);
  srand(getpid() ^ time(0));
  printf("%d %d %d %d\n", getpid(), getppid(), ids[1] - getpid(), rand());
  printf("%d %ld %d %ld %d\n", get_nprocs(), sysconf(_SC_NPROCESSORS_ONLN), CPU_COUNT(&cores),
         sysconf(_SC_PHYS_PAGES) > 0 ? 1L : 0L, sched_getcpu());
  printf("%ld %ld\n", (long)used.ru_maxrss, (long)used.ru_utime.tv_sec);
  return 0;
}
)";

TEST_CASE("A program finds the same numbers of processes, threads and cores in every run") {
  const WorkingDirectory here;
  build_app(here, curious, "-g -pthread");
  CHECK(here.shell("./app").status == 0);
  const CommandResult first = here.orrery("run --seed 1 ./app");
  INFO(first.out << first.err);
  REQUIRE(first.status == 0);
  CHECK(has(first.out, "bare\n"));
  CHECK(has(first.out, "4 4 4 1 0\n"));
  const CommandResult second = here.orrery("run --seed 1 ./app");
  CHECK(second.out == first.out);
  CHECK(here.orrery("explore --runs 200 --check-determinism ./app").status == 0);
}

TEST_CASE("A bare system call that leaves the machine is refused by name, at its line") {
  const WorkingDirectory here;
  build_app(here,
            "#include <sys/syscall.h>\n#include <unistd.h>\n"
            "int main(void) {\n  return (int)syscall(SYS_pause);\n}\n",
            "-g");
  const CommandResult result = here.orrery("run ./app");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "app.c:4"));
  CHECK(has(result.err, "syscall(SYS_pause) leaves the simulated machine"));
}

TEST_CASE("A value that a signal would carry is refused, and not dropped") {
  const WorkingDirectory here;
  build_app(here,
            "#include <signal.h>\n#include <unistd.h>\n"
            "int main(void) {\n  union sigval seven = {7};\n"
            "  return sigqueue(getpid(), SIGUSR1, seven);\n}\n",
            "-g");
  const CommandResult result = here.orrery("run ./app");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "carry no value"));
}

}  // namespace

TEST_CASE("Programs have the name of their simulated host, whomever they ask") {
  const WorkingDirectory here;
  build_app(here, R"(#define _GNU_SOURCE
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char name[MPI_MAX_PROCESSOR_NAME], host[100], tiny[3];
  struct utsname one, other;
  int length;
  MPI_Init(&argc, &argv);
  MPI_Get_processor_name(name, &length);
  assert(gethostname(host, sizeof host) == 0 && strcmp(host, name) == 0);
  assert(gethostname(tiny, sizeof tiny) == -1);
  assert(uname(&one) == 0 && strcmp(one.nodename, name) == 0);
  assert(syscall(SYS_uname, &other) == 0 && memcmp(&one, &other, sizeof one) == 0);
  printf("%s %s %s\n", one.sysname, one.nodename, one.machine);
  MPI_Finalize();
  return 0;
}
)",
            "-g -O1");
  const CommandResult result = here.orrery("run --quiet -n 2 ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "Linux host-0 x86_64\nLinux host-1 x86_64\n");
}
