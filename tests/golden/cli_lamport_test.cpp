// `orrery run --method lamport-order` as a user has it: threads recorded, replayed, and refused.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Threads say in which order they came; with an argument they come once more.
constexpr const char* threads = R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, rounds = 5;
static void* worker(void* number) {
  const long own = (long)number;
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&lock);
    printf("%ld ", own);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  while (turn != own) pthread_cond_wait(&turned, &lock);
  ++turn;
  pthread_cond_broadcast(&turned);
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t all[3];
  if (argc > 1) rounds = 6;
  for (long i = 0; i < 3; ++i) pthread_create(&all[i], NULL, worker, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
  printf("\n");
  return 0;
}
)";

void build(const WorkingDirectory& here) {
  build_app(here, threads, "-O1 -g -pthread");
}

}  // namespace

TEST_CASE("Threads that were recorded by time stamps are replayed elsewhere") {
  const WorkingDirectory here;
  build(here);
  for (const std::string method : {"lamport-order", "lamport-order:objects=yes"}) {
    CAPTURE(method);
    const CommandResult run = here.orrery(
        "run --window 50us --seed 4 --stats --record a.orr --method " + method + " ./app");
    INFO(run.err);
    REQUIRE(run.status == 0);
    CHECK(has(run.err, "stamped "));
    CHECK(has(run.err, "stamp_bytes "));
    for (const std::string elsewhere : {"--seed 9", "--seed 3 --window 0us", "--window 1ms"}) {
      CAPTURE(elsewhere);
      const CommandResult replay = here.orrery("replay " + elsewhere + " a.orr");
      CHECK(replay.status == 0);
      CHECK(replay.out == run.out);
    }
    CHECK(has(here.orrery("show a.orr").out, "operations with stamps"));
    // By another method of threads, or as the steps that the replay takes.
    CHECK(here.orrery("replay a.orr --record b.orr --method instant-replay").status == 0);
    CHECK(here.orrery("replay b.orr --record c.orr --method " + method).status == 0);
    CHECK(here.orrery("replay c.orr").out == run.out);
    CHECK(here.orrery("replay a.orr --record d.orr --method choices").status == 0);
    CHECK(here.orrery("replay d.orr --window inf --seed 8").status == 0);
  }
}

TEST_CASE("A program that does something else parts from its time stamps") {
  const WorkingDirectory here;
  build(here);
  REQUIRE(here.orrery("run --record a.orr --method lamport-order ./app").status == 0);
  here.write("app.c", std::string(threads).replace(std::string(threads).find("rounds = 5"), 10,
                                                   "rounds = 7"));
  REQUIRE(here.orrery("cc -O1 -g -pthread app.c -o app").status == 0);
  const CommandResult other = here.orrery("replay a.orr");
  CHECK(other.status == 2);
  const CommandResult replay = here.orrery("replay --best-effort a.orr");
  CHECK(has(replay.out + replay.err, "parts from its log"));
}

TEST_CASE("What time stamps do not cover is refused by one clear error") {
  const WorkingDirectory here;
  build(here);
  const CommandResult messages =
      here.orrery("run --record a.orr --method lamport-order wildcard_race");
  CHECK(messages.status == 2);
  CHECK(has(messages.err, "the method 'lamport-order' follows synchronisation only, but"));
  CHECK(has(messages.err, "passes messages"));
  CHECK_FALSE(has(here.shell("ls").out, "a.orr"));
  const CommandResult option =
      here.orrery("run --record a.orr --method lamport-order:objects=some ./app");
  CHECK(option.status == 2);
  CHECK(has(option.err, "'some' is neither yes nor no"));
  const CommandResult checkpoints =
      here.orrery("run --record a.orr --method lamport-order --checkpoint-every 8 ./app");
  CHECK(checkpoints.status == 2);
  const CommandResult faults =
      here.orrery("run --record a.orr --method lamport-order --faults crash ./app");
  CHECK(faults.status == 2);
}
