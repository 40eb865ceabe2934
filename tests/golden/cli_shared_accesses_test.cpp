// `leap`, `global-writes` and `stride` as a user has them: a program with races, recorded, replayed
// elsewhere, made a schedule, and refused.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Threads write down what they read of variables that nothing protects; with an argument it fails
/// where one of them has lost an addition, with two it crashes.
constexpr const char* races = R"(#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#define ROUNDS 12
static int x, y, sum, seen[3][ROUNDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* worker(void* number) {
  const long own = (long)number;
  for (int i = 0; i < ROUNDS; ++i) {
    x = (int)own * 100 + i;
    seen[own][i] = y;
    y = x + 1;
    if (i % 4 == 0) {
      pthread_mutex_lock(&lock);
      sum += y;
      pthread_mutex_unlock(&lock);
    }
    sum += 1;
  }
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t all[3];
  for (long i = 0; i < 3; ++i) pthread_create(&all[i], NULL, worker, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < ROUNDS; ++j) printf("%d ", seen[i][j]);
  }
  printf("%d %d %d\n", x, y, sum);
  if (argc > 2) *argv[argc] = 0;
  if (argc > 1) assert(sum == 0);
  return 0;
}
)";

void build(const WorkingDirectory& here) {
  here.write("app.c", races);
  const CommandResult built = here.orrery("cc -O1 -g -pthread app.c -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

const char* const methods[] = {"leap", "global-writes", "stride", "stride:lag=30",
                               "stride:lag=5,group=block:64"};

}  // namespace

TEST_CASE("A program with races is replayed elsewhere by the order of its accesses") {
  const WorkingDirectory here;
  build(here);
  for (const std::string method : methods) {
    CAPTURE(method);
    const CommandResult run =
        here.orrery("run --preempt all --window 50us --seed 4 --stats --record a.orr --method " +
                    method + " ./app");
    INFO(run.err);
    REQUIRE(run.status == 0);
    CHECK(has(run.err, "accesses_in_order "));
    for (const std::string elsewhere : {"--seed 9", "--seed 3 --window 0us", "--window 1ms"}) {
      CAPTURE(elsewhere);
      const CommandResult replay = here.orrery("replay " + elsewhere + " a.orr");
      CHECK(replay.status == 0);
      CHECK(replay.out == run.out);
    }
    CHECK(has(here.orrery("show a.orr").out, "in order in "));
    // What was found out is a schedule like all others.
    CHECK(here.orrery("replay a.orr --record c.orr").status == 0);
    CHECK(has(here.orrery("show c.orr").out, " steps, "));
    CHECK(here.orrery("replay c.orr").out == run.out);
    // And by another method of these.
    CHECK(here.orrery("replay a.orr --record d.orr --method stride:lag=3").status == 0);
    CHECK(here.orrery("replay d.orr").out == run.out);
  }
}

TEST_CASE("A replay of stride counts what it has compared, also of a run that dies") {
  const WorkingDirectory here;
  build(here);
  const std::string run =
      "run --preempt all --window 50us --seed 4 --stats --record a.orr --method stride:lag=30 ";
  REQUIRE(here.orrery(run + "./app").status == 0);
  CHECK(has(here.orrery("replay --stats a.orr").err, "inference: reads 132, comparisons "));

  const CommandResult died = here.orrery(run + "./app and dies");
  REQUIRE(has(died.err, "SIGSEGV"));
  CHECK(has(died.err, "recording: "));
  CHECK(has(died.err, "accesses_in_order "));
  CHECK(has(here.orrery("replay --stats a.orr").err, "inference: reads 132, comparisons "));
}

TEST_CASE("What failed under stride fails again, is made small, and is searched from") {
  const WorkingDirectory here;
  build(here);
  for (const std::string method : {"leap", "stride:lag=30"}) {
    CAPTURE(method);
    const CommandResult run =
        here.orrery("run --preempt all --window 50us --seed 4 --record a.orr --method " + method +
                    " ./app fails");
    REQUIRE(run.status == 1);
    const CommandResult replay = here.orrery("replay --seed 8 a.orr");
    CHECK(replay.status == 1);
    CHECK(has(replay.err, "sum == 0"));
    CHECK(replay.out == run.out);
    CHECK(has(here.orrery("show --timeline a.orr").out, "locks mutex lock"));
    const CommandResult small = here.orrery("shrink a.orr -o small.orr");
    INFO(small.err);
    CHECK(small.status == 1);
    CHECK(here.orrery("replay small.orr").status == 1);
    CHECK(here.orrery("explore --from a.orr --runs 5 --keep-going").status == 1);
  }
}

TEST_CASE("What these methods do not see is refused by one clear error") {
  const WorkingDirectory here;
  build(here);
  for (const std::string preempt : {"", "--preempt shared"}) {
    const CommandResult some =
        here.orrery("run " + preempt + " --record a.orr --method stride ./app");
    CHECK(some.status == 2);
    CHECK(has(some.err, "the method 'stride' follows each access to memory"));
    CHECK(has(some.err, "add --preempt all"));
  }
  const CommandResult messages = here.orrery("run --record a.orr --method leap wildcard_race");
  CHECK(messages.status == 2);
  CHECK(has(messages.err, "the method 'leap' follows synchronisation and memory only, but"));
  CHECK_FALSE(has(here.shell("ls").out, "a.orr"));
  const std::string run = "run --preempt all --record a.orr --method ";
  const CommandResult group = here.orrery(run + "stride:group=classes ./app");
  CHECK(group.status == 2);
  CHECK(has(group.err, "'classes' is no way to group variables"));
  CHECK(has(here.orrery(run + "stride:group=block:12 ./app").err, "a power of two from 8 on"));
  CHECK(has(here.orrery(run + "stride:lag=some ./app").err, "lag"));
  CHECK(has(here.orrery(run + "stride:slots=0 ./app").err, "slots"));
  CHECK(has(here.orrery(run + "leap:lag=3 ./app").err, "lag"));
}

TEST_CASE("Another build parts from the order of its accesses") {
  const WorkingDirectory here;
  build(here);
  REQUIRE(here.orrery("run --preempt all --record a.orr --method stride ./app").status == 0);
  const std::string text(races);
  here.write("app.c", std::string(text).replace(text.find("ROUNDS 12"), 9, "ROUNDS 13"));
  REQUIRE(here.orrery("cc -O1 -g -pthread app.c -o app").status == 0);
  CHECK(here.orrery("replay a.orr").status == 2);
  const CommandResult replay = here.orrery("replay --best-effort a.orr");
  CHECK(has(replay.out + replay.err, "parts from its log"));
}
