// Runs of real threads at the desk: the same stack, under gdb, with prints added, searched around.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "gdb_session.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::has_gdb;
using orrery::test::session;
using orrery::test::WorkingDirectory;

// Whoever counts to seven dies, three calls deep.
const std::string dies_deep = R"(#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
__attribute__((noinline)) static void store(int *place) { *place = 1; }
__attribute__((noinline)) static void step(int now) {
  if (now == 7) store((int *)8);
  __asm__ volatile("" : : : "memory");
}
static void *work(void *argument) {
  for (int i = 0; i < 8; ++i) {
    pthread_mutex_lock(&lock);
    step(++count);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
)";

/// Each frame of the finding's stack: `step app.c:6`.
std::vector<std::string> stack_in(const CommandResult& told) {
  std::vector<std::string> frames;
  const auto json = nlohmann::json::parse(told.out);
  for (const auto& frame : json.at("findings").at(0).at("where").at(0).at("stack")) {
    frames.push_back(fmt::format("{} {}:{}", frame.at("function").get<std::string>(),
                                 frame.at("file").get<std::string>(), frame.at("line").get<int>()));
  }
  return frames;
}

}  // namespace

TEST_CASE("A real crash has the same stack in its replay, frame by frame") {
  const std::vector<std::string> frames = {"store app.c:4", "step app.c:6", "work app.c:12"};
  for (const bool is_plain : {true, false}) {
    const WorkingDirectory here;
    if (is_plain) {
      build_plainly(here, "gcc", dies_deep, "-O0");
    } else {
      build_app(here, dies_deep, "-g -O0 -pthread");
    }
    for (const std::string method : {"lamport-order", "instant-replay", "leap", "stride"}) {
      if (is_plain && (method == "leap" || method == "stride")) continue;
      CAPTURE(is_plain, method);
      const CommandResult real =
          here.orrery("record --json --method " + method + " -o run.orr ./app");
      INFO(real.out << real.err);
      REQUIRE(real.status == 1);
      CHECK(stack_in(real) == frames);
      const CommandResult again = here.orrery("replay --json run.orr");
      INFO(again.out << again.err);
      CHECK(again.status == 1);
      CHECK(stack_in(again) == frames);
    }
  }
}

TEST_CASE("In gdb the replay of a real crash stops in its line") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  for (const bool is_plain : {true, false}) {
    CAPTURE(is_plain);
    if (is_plain) {
      build_plainly(here, "gcc", dies_deep, "-O0");
    } else {
      build_app(here, dies_deep, "-g -O0 -pthread");
    }
    REQUIRE(here.orrery("record --quiet -o run.orr ./app").status == 1);
    const std::string said = session(here, "run.orr", "run\nbacktrace\nprint count\n");
    INFO(said);
    CHECK(has(said, "Program received signal SIGSEGV"));
    CHECK(has(said, "store (place=0x8) at "));
    CHECK(has(said, "app.c:4\n"));
    CHECK(has(said, "app.c:6\n"));
    CHECK(has(said, "app.c:12\n"));
    CHECK(has(said, "$1 = 7"));
  }
}

TEST_CASE("Prints and breakpoints that are added do not change what Instant Replay does again") {
  const std::string source = R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[40], taken;
static void *work(void *number) {
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    order[taken++] = (int)(long)number;
#ifdef MORE
    fprintf(stderr, "number %d\n", taken);
#endif
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 40; ++i) printf("%d", order[i]);
  puts("");
  return 0;
}
)";
  const WorkingDirectory here;
  build_app(here, source, "-g -O0 -pthread");
  const CommandResult real =
      here.orrery("record --quiet --inject-delays=50us --method instant-replay -o run.orr ./app");
  REQUIRE(real.status == 0);
  build_app(here, source, "-g -O0 -pthread -DMORE");
  CHECK(here.orrery("replay run.orr").status == 2);  // another build
  const CommandResult again = here.orrery("replay --quiet --best-effort run.orr");
  INFO(again.out << again.err);
  CHECK(again.status == 0);
  CHECK(again.out == real.out);
  CHECK(has(again.err, "number 1\n"));
  CHECK(has(again.err, "number 40\n"));
  if (!has_gdb(here)) return;
  const std::string said = session(here, "--best-effort run.orr",
                                   "break app.c:10 if taken == 17\nrun\nprint (int)(long)number\n"
                                   "print order[16]\ndelete\ncontinue\n");
  INFO(said);
  CHECK(has(said, "app.c:10"));
  const std::string who(1, real.out[16]);
  CHECK(has(said, "$1 = " + who));
  CHECK(has(said, "$2 = " + who));
  CHECK(has(said, real.out));
  CHECK(has(said, "exited normally"));
}

TEST_CASE("A search around a real run that went well finds the failure that it nearly had") {
  for (const bool is_mended : {false, true}) {
    CAPTURE(is_mended);
    const WorkingDirectory here;
    build_app(here, R"(#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int deposits;
static void *deposit(void *argument) {
#ifdef MENDED
  pthread_mutex_lock(&lock);
#endif
  int seen = deposits;
  deposits = seen + 1;
#ifdef MENDED
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], 0, deposit, 0);
    for (volatile long turns = 0; turns < 3000000; ++turns) continue;
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(deposits == 2);
  return 0;
}
)",
              is_mended ? "-g -O1 -pthread -DMENDED" : "-g -O1 -pthread");
    CommandResult real;
    for (int i = 0; i < 10 && real.status != 0; ++i) {
      real = here.orrery("record --quiet --method stride -o run.orr ./app");
    }
    REQUIRE(real.status == 0);
    REQUIRE(here.orrery("replay run.orr").status == 0);
    const CommandResult search = here.orrery("explore --from run.orr --runs 200");
    INFO(search.out << search.err);
    CHECK(search.status == (is_mended ? 0 : 1));
    CHECK(has(search.out, "under around:file=run.orr"));
    if (is_mended) continue;
    CHECK(has(search.out, "assertion failed: deposits == 2"));
    CHECK(has(search.out, "saved: run-near.orr"));
    CHECK(here.orrery("replay run-near.orr").status == 1);
  }
}
