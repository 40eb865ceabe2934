// `--compute`: what a program computes takes virtual time.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Each rank turns a loop, and says whether its clock has moved meanwhile.
constexpr const char* program = R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double begin = MPI_Wtime();
  volatile unsigned mixed = 1;
  for (int i = 0; i < 100000 * (rank + 1); ++i) mixed = mixed * 1664525u + 1013904223u;
  const double end = MPI_Wtime();
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", end > begin ? "time passes" : "no time");
  MPI_Finalize();
  return 0;
}
)";

WorkingDirectory& with_program(WorkingDirectory& here) {
  here.write("app.c", program);
  REQUIRE(here.orrery("cc -O1 -o plain app.c").status == 0);
  REQUIRE(here.orrery("cc -O1 -fsanitize-coverage=trace-pc -o counted app.c").status == 0);
  return here;
}

std::int64_t time_ns(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  return json::parse(result.out)["virtual_time_ns"].get<std::int64_t>();
}

}  // namespace

TEST_CASE("--compute cost: blocks have a price, and the same run is the same bytes") {
  WorkingDirectory place;
  const WorkingDirectory& here = with_program(place);
  CHECK(here.orrery("run ./counted").out == "no time\n");
  CHECK(here.orrery("run --compute cost ./counted").out == "time passes\n");
  const std::string run = "run --json -n 2 --platform ethernet-1g ";
  const std::int64_t none = time_ns(here.orrery(run + "./counted"));
  const std::int64_t cheap = time_ns(here.orrery(run + "--compute cost --record a.orr ./counted"));
  const std::int64_t dear = time_ns(here.orrery(run + "--compute cost=10ns ./counted"));
  CHECK(cheap - none >= 200'000);  // rank 1's loop is the longer one
  CHECK(dear - none >= 9 * (cheap - none));
  CHECK(time_ns(here.orrery(run + "--compute cost --record b.orr ./counted")) == cheap);
  CHECK(here.read("a.orr") == here.read("b.orr"));
  // On one host of one core the second loop waits for the first.
  CHECK(time_ns(here.orrery(run + "--compute cost --map 0,0 ./counted")) >= 300'000);
  CHECK(time_ns(here.orrery("replay --json --seed 7 a.orr")) == cheap);
}

TEST_CASE("--compute measured: a replay takes the measured times from the log") {
  WorkingDirectory place;
  const WorkingDirectory& here = with_program(place);
  const std::string run = "run --json -n 3 --platform ethernet-1g --compute measured=3 ";
  const std::int64_t recorded = time_ns(here.orrery(run + "--record a.orr ./plain"));
  CHECK(recorded > time_ns(here.orrery("run --json -n 3 --platform ethernet-1g ./plain")));
  for (const std::string other : {"--seed 1", "--seed 99"}) {
    CHECK(time_ns(here.orrery("replay --json " + other + " a.orr")) == recorded);
  }
  CHECK(here.orrery("run --check-determinism -n 3 --compute measured ./plain").status == 0);
  CHECK(here.orrery("explore --runs 5 -n 3 --compute measured ./plain").status == 0);
  CHECK(here.orrery("explore --runs 5 -n 2 --strategy exhaustive --compute measured ./plain")
            .status == 0);
}

TEST_CASE("A search with measured times finds, saves and makes small what it finds") {
  const WorkingDirectory here;
  const std::string source = ORRERY_SOURCE_DIR "/scenarios/mpi/wildcard_race/buggy.c";
  REQUIRE(here.orrery("cc -g -o app " + source).status == 0);
  const CommandResult found = here.orrery("explore -n 4 --compute measured -o bug.orr ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  // How far it deviates hangs on what was measured: on a busy machine who computes last may be
  // another rank.
  CHECK(has(found.out, "made small: 0 preemptions, "));
  CHECK(here.orrery("replay --seed 5 bug.orr").status == 1);
}

// A thread is charged before it looks whether a lock is taken.
TEST_CASE("Locks keep others out where computing takes time") {
  const std::string how = GENERATE("measured", "cost=1us");
  const WorkingDirectory here;
  here.write("locks.c", R"(#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int inside[3];
static void *work(void *x) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&mutex);
    assert(++inside[0] == 1);
    pthread_rwlock_wrlock(&gate);
    pthread_spin_lock(&spin);
    assert(++inside[1] == 1);
    assert(--inside[1] == 0);
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&gate);
    assert(--inside[0] == 0);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&gate);
    pthread_spin_lock(&spin);
    assert(++inside[2] == 1);
    assert(--inside[2] == 0);
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&gate);
  }
  return x;
}
int main(void) {
  pthread_t threads[3];
  pthread_spin_init(&spin, 0);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
)");
  REQUIRE(here.orrery("cc -g -pthread -fsanitize-coverage=trace-pc locks.c -o app").status == 0);
  const CommandResult result = here.orrery("explore --runs 100 --compute " + how + " ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("Where computing cannot be counted, the user hears what to do") {
  WorkingDirectory place;
  const WorkingDirectory& here = with_program(place);
  const CommandResult plain = here.orrery("run --compute cost ./plain");
  CHECK(plain.status == 2);
  CHECK(has(plain.err, "-fsanitize-coverage=trace-pc"));
  CHECK(here.shell("./counted").status == here.shell("./plain").status);
  const CommandResult scenario = here.orrery("run --compute cost lost_update");
  CHECK(scenario.status == 2);
  CHECK(has(scenario.err, "--compute: 'lost_update' is a built-in scenario"));
  CHECK(has(here.orrery("run --compute costs ./plain").err, "did you mean"));
  REQUIRE(here.orrery("run --record a.orr ./plain").status == 0);
  const CommandResult other = here.orrery("replay --compute measured a.orr");
  CHECK(other.status == 2);
  CHECK(has(other.err, "the log was made with --compute none"));
}
