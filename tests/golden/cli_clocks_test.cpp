// What a program reads off clocks is an input: a replay elsewhere shows it the dates of the run
// that was recorded.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

const std::vector<std::string> elsewhere = {
    "--seed 9 --window 0 --platform myrinet-pcixd ",
    "--seed 3 --window inf --platform ethernet-1g ",
    "--window 20us ",
};

/// Records `words` and replays the log elsewhere: the same output, to the byte.
CommandResult record_and_replay(const WorkingDirectory& here, const std::string& words) {
  CommandResult run = here.orrery("run --record run.orr " + words);
  for (const std::string& machine : elsewhere) {
    const CommandResult again = here.orrery("replay " + machine + "run.orr");
    CAPTURE(words, machine, again.err);
    CHECK(again.status == run.status);
    CHECK(again.out == run.out);
  }
  return run;
}

const std::string mpi_source = R"(
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < 20e-6) {
  }
  for (int i = 0; i < 5; ++i) {
    double before = MPI_Wtime();
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_ANY_SOURCE, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* What it does next depends on the date. */
    long took_ns = (long)((MPI_Wtime() - before) * 1e9);
    if (took_ns % 2 == 0) MPI_Barrier(MPI_COMM_SELF);
    printf("%d: %.12f %ld\n", rank, MPI_Wtime() - before, took_ns);
  }
  MPI_Finalize();
  return 0;
}
)";

const std::string threads_source = R"(
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *wait_a_while(void *argument) {
  long wait_ns = (long)argument;
  struct timespec begin, until, end;
  struct timeval day;
  clock_gettime(CLOCK_REALTIME, &begin);
  until = begin;
  until.tv_nsec += wait_ns;
  pthread_mutex_lock(&mutex);
  int error = pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  clock_gettime(CLOCK_MONOTONIC, &end);
  gettimeofday(&day, NULL);
  printf("%s %ld %ld.%09ld %ld.%06ld\n", error == ETIMEDOUT ? "late" : "in time", begin.tv_nsec,
         (long)end.tv_sec, end.tv_nsec, (long)day.tv_sec, (long)day.tv_usec);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, wait_a_while, (void *)(1000000 + i * 1000000));
  usleep(1500);
  pthread_cond_signal(&condition);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 1000;
  printf("%d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
  for (int i = 0; i < 300; ++i) clock_gettime(CLOCK_MONOTONIC, &until);
  printf("%ld %ld %ld\n", until.tv_nsec, (long)time(NULL), (long)clock());
  return 0;
}
)";

}  // namespace

TEST_CASE(
    "Dates that an MPI program reads are those of the recorded run, wherever it is replayed") {
  const WorkingDirectory here;
  build_app(here, mpi_source, "");
  for (const std::string machine : {"--platform ethernet-1g ", "--seed 4 --window inf ",
                                    "--platform myrinet-pci64b --seed 2 --window 5us "}) {
    CHECK(record_and_replay(here, "-n 4 " + machine + "./app").status == 0);
  }
}

TEST_CASE("Dates that threads read, and the deadlines they make of them, are the recorded ones") {
  const WorkingDirectory here;
  build_app(here, threads_source, "-pthread");
  for (const std::string machine :
       {"", "--seed 1 --window inf ", "--seed 2 --window inf ", "--seed 3 --window 2ms "}) {
    CHECK(record_and_replay(here, machine + "./app").status == 0);
  }
}

TEST_CASE("A finding that hangs on a date is searched, replayed elsewhere and made small") {
  const WorkingDirectory here;
  build_app(here, R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double begin = MPI_Wtime();
  for (int i = 0; i < 4; ++i) {
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int j = 1; rank == 0 && j < 3; ++j)
      MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  double took = MPI_Wtime() - begin;
  if (rank == 0) printf("%.12f\n", took);
  fflush(stdout);
  if (rank == 0 && word == 1) abort();
  MPI_Finalize();
  return 0;
}
)",
            "");
  const CommandResult search =
      here.orrery("explore -n 3 --platform ethernet-1g --runs 200 -o found.orr ./app");
  INFO(search.out);
  REQUIRE(search.status == 1);
  const CommandResult there = here.orrery("replay found.orr");
  REQUIRE(there.status == 1);
  CHECK(has(there.out, "0.0"));
  for (const std::string& machine : elsewhere) {
    const CommandResult again = here.orrery("replay " + machine + "found.orr");
    INFO(machine << again.err);
    CHECK(again.status == 1);
    CHECK_FALSE(has(again.err, "divergence"));
    CHECK(again.out == there.out);
  }
  const CommandResult small = here.orrery("shrink -o small.orr found.orr");
  INFO(small.out << small.err);
  CHECK(small.status == 1);
  CHECK_FALSE(has(small.out, "clock"));
  CHECK(here.orrery("replay --window 0 --platform myrinet-pcixd small.orr").status == 1);
}

TEST_CASE("A program that asks for the date ten million times is recorded in little memory") {
  const WorkingDirectory here;
  build_app(here, R"(
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  long sum = 0;
  for (long i = 0; i < 10000000; ++i) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum += now.tv_nsec;
  }
  printf("%ld\n", sum);
  return 0;
}
)",
            "-O1");
  CHECK(record_and_replay(here, "./app").status == 0);
  CHECK(here.read("run.orr").size() < 200'000);
}
