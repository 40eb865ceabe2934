// Replays of real threads by the rule for objects: what waits for what, and what may not be lost of
// that where many polls are one operation.
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* by_objects = "--method lamport-order:objects=yes";

constexpr const char* head = R"(#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counted;
static void pause_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, 0);
}
/* Not seen, and so takes no time in a replay. */
static void be_late_ms(int ms) {
  struct timespec time = {0, ms * 1000000L};
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result) : "a"(35L), "D"(&time), "S"(0L) : "rcx", "r11", "memory");
}
)";

/// Each has a lock of its own, and now and then they meet in one.
constexpr const char* mostly_alone = R"(
static void* work(void* number) {
  const long me = (long)number;
  for (int i = 0; i < 400; ++i) {
    pthread_mutex_lock(&own[me]);
    pthread_mutex_unlock(&own[me]);
    if (i % 20 != 0) continue;
    pthread_mutex_lock(&lock);
    counted = counted * 3 + (int)me + 1;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("%d\n", counted);
  return 0;
}
)";

/// Three tries in vain, of which the last two are one operation; between the first two the lock is
/// free, and in a replay the second one comes early.
constexpr const char* polls_far_apart = R"(
static void* look(void* argument) {
  int failed = 0;
  pause_ms(50);
  for (int i = 0; i < 3; ++i) {
    if (pthread_mutex_trylock(&lock) != 0) {
      ++failed;
    } else {
      pthread_mutex_unlock(&lock);
    }
    if (i > 0) continue;
    pause_ms(100);
    be_late_ms(200);
  }
  printf("%d failed\n", failed);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, look, 0);
  pause_ms(100);
  pthread_mutex_unlock(&lock);
  pause_ms(100);
  pthread_mutex_lock(&lock);
  pause_ms(400);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
)";

/// One tries once, between many tries of two others, which are one operation of each.  In a replay
/// it comes late.
constexpr const char* polls_of_two = R"(
static int failed[3];
static void* look_once(void* argument) {
  pause_ms(100);
  failed[0] = pthread_mutex_trylock(&lock) != 0;
  return argument;
}
static void* look_often(void* number) {
  const long me = (long)number;
  be_late_ms(10 + 30 * (int)me);
  for (int i = 0; i < 3; ++i) {
    failed[me] += pthread_mutex_trylock(&lock) != 0;
    if (i < 2) be_late_ms(100);
  }
  pthread_mutex_lock(&own[0]);
  pthread_mutex_unlock(&own[0]);
  return 0;
}
int main(void) {
  pthread_t threads[3];
  pthread_mutex_lock(&lock);
  pthread_create(&threads[0], 0, look_once, 0);
  for (long i = 1; i < 3; ++i) pthread_create(&threads[i], 0, look_often, (void*)i);
  for (int i = 0; i < 20; ++i) pause_ms(1); /* whoever polls goes on when something happens */
  be_late_ms(400);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  printf("%d, %d and %d failed\n", failed[0], failed[1], failed[2]);
  return 0;
}
)";

constexpr const char* goes_on_for_ever = R"(
static void* work(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    ++counted;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
  }
  pause_ms(5);
  pthread_mutex_lock(&lock);
  printf("some %d\n", counted > 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
)";

nlohmann::json how_it_went(const WorkingDirectory& here) {
  const CommandResult replay = here.orrery("replay --json --stats run.orr");
  INFO(replay.err);
  REQUIRE(replay.status == 0);
  return nlohmann::json::parse(replay.out).at("stats").at("replay");
}

}  // namespace

TEST_CASE(
    "A replay of real threads goes by objects where its log keeps them, and tells how often") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", std::string(head) + mostly_alone);
  REQUIRE(here.orrery("record --quiet -o run.orr ./app").status == 0);
  const auto by_stamps = how_it_went(here);
  CHECK(by_stamps.at("behind_all") == 1684);
  CHECK(by_stamps.at("behind_object") == 0);
  const CommandResult real = here.orrery(
      fmt::format("record --quiet --inject-delays=50us {} -o run.orr ./app", by_objects));
  REQUIRE(real.status == 0);
  const auto rules = how_it_went(here);
  // The last operation of each thread.
  CHECK(rules.at("behind_all") <= 3);
  CHECK(rules.at("behind_object") > 0);
  CHECK(rules.at("behind_own") > 1500);
  for (const char* const machine : {"", "--seed 4 --window 30us", "--window inf --seed 9"}) {
    const CommandResult again = here.orrery(fmt::format("replay --stats {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
    CHECK(has(again.err, "replay: behind_own "));
  }
}

TEST_CASE("Polls come behind whoever came between them, though they are one operation") {
  const WorkingDirectory here;
  const std::pair<const char*, const char*> programs[] = {{polls_far_apart, "3 failed\n"},
                                                          {polls_of_two, "1, 3 and 3 failed\n"}};
  for (const auto& [program, said] : programs) {
    build_plainly(here, "gcc", std::string(head) + program);
    for (const char* const method : {by_objects, "", "--method instant-replay"}) {
      CAPTURE(method, said);
      const CommandResult real = here.orrery(fmt::format("record {} -o run.orr ./app", method));
      REQUIRE(real.out == said);
      for (const char* const machine : {"", "--seed 4 --window 30us"}) {
        const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
        INFO(again.err);
        CHECK(again.status == 0);
        CHECK(again.out == said);
      }
    }
  }
}

TEST_CASE("Threads that go on when their process ends part no replay") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", std::string(head) + goes_on_for_ever);
  for (const char* const method : {by_objects, "", "--method instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = here.orrery(fmt::format("record {} -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 3 run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}

TEST_CASE("Where there are not addresses enough the method is still the one that was asked for") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", std::string(head) + mostly_alone);
  const CommandResult real = here.shell(fmt::format(
      "ulimit -v 6000000; '{}' record --inject-delays=50us -o run.orr ./app", ORRERY_BINARY));
  INFO(real.err);
  REQUIRE(real.status == 0);
  CHECK(has(real.err, "not addresses enough"));
  CHECK(has(here.orrery("show run.orr").out, "(method lamport-order)"));
  const CommandResult again = here.orrery("replay --window inf run.orr");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(again.out == real.out);
}
