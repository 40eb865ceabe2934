// Memory accesses of programs: where they may lose their turn, and what races.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* compilers[] = {"gcc", "clang"};

void build(const WorkingDirectory& here, const std::string& compiler, const std::string& flags) {
  const CommandResult built = here.shell("ORRERY_CC=" + compiler + " '" ORRERY_BINARY "' cc -g " +
                                         flags + " -pthread app.c -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

// Nobody has touched the counter before the two threads do.
constexpr const char* counting = R"(
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int in_program;
static int* counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* count(void* unused) {
  for (int i = 0; i < 40; ++i) {
#ifdef MENDED
    pthread_mutex_lock(&mutex);
#endif
    ++*counter;
#ifdef MENDED
    pthread_mutex_unlock(&mutex);
#endif
  }
  return unused;
}
int main(void) {
  pthread_t one, other;
#ifdef IN_HEAP
  counter = calloc(1, sizeof *counter);
#else
  counter = &in_program;
#endif
  pthread_create(&one, 0, count, 0);
  pthread_create(&other, 0, count, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  assert(*counter == 80);
  return 0;
}
)";

TEST_CASE(
    "A counter without a lock loses counts, in the heap and out of it, and one with a lock none") {
  const WorkingDirectory here;
  here.write("app.c", counting);
  for (const std::string compiler : compilers) {
    for (const std::string flags : {"-O0", "-O2", "-O0 -DIN_HEAP", "-O2 -DIN_HEAP"}) {
      CAPTURE(compiler, flags);
      build(here, compiler, flags);
      const CommandResult found = here.orrery("explore --preempt shared --runs 100 ./app");
      CHECK(found.status == 1);
      CHECK(has(found.out, "*counter == 80"));
      build(here, compiler, flags + " -DMENDED");
      CHECK(here.orrery("explore --preempt shared --runs 100 ./app").status == 0);
    }
  }
}

constexpr const char* freeing = R"(
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static int* block;
static sem_t used;
static void* use(void* unused) {
  *block = 1;                         /* use */
#ifdef MENDED
  sem_post(&used);
#endif
  return unused;
}
int main(void) {
  pthread_t other;
  sem_init(&used, 0, 0);
  block = malloc(BYTES);
  pthread_create(&other, 0, use, 0);
#ifdef MENDED
  sem_wait(&used);
#endif
  free(block);                        /* end */
  pthread_join(other, 0);
  block = malloc(BYTES);
  *block = 2;                         /* of another block */
  free(block);
  return 0;
}
)";

TEST_CASE("A block that is freed while another thread may use it is a race, in either order") {
  const WorkingDirectory here;
  here.write("app.c", freeing);
  for (const std::string compiler : compilers) {
    for (const std::string bytes : {"16", "100000"}) {
      CAPTURE(compiler, bytes);
      build(here, compiler, "-O1 -DBYTES=" + bytes);
      const CommandResult search =
          here.orrery("explore --detect fasttrack --keep-going --runs 20 ./app");
      INFO(search.out << search.err);
      CHECK(search.status == 1);
      CHECK(has(search.out, "app.c:8"));
      CHECK(has(search.out, "app.c:22"));
      CHECK(has(search.out, "wrote here before"));
      CHECK_FALSE(has(search.out, "app.c:25"));
      build(here, compiler, "-O1 -DMENDED -DBYTES=" + bytes);
      CHECK(here.orrery("explore --detect fasttrack --runs 20 ./app").status == 0);
    }
  }
}

constexpr const char* crashing = R"(
#include <pthread.h>
#include <stdlib.h>
static int numbers[2] = {1, 2};
static int* pointer = numbers;
#ifdef MENDED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif
static void* spoil(void* unused) {
#ifdef MENDED
  pthread_mutex_lock(&mutex);
#endif
  pointer = NULL;                     /* spoil */
#ifdef MENDED
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, spoil, 0);
#ifdef MENDED
  pthread_join(other, 0);
  return *numbers == 1 ? 0 : *pointer;
#else
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += rand() & 1;
  sum += pointer[1];                  /* dies */
  pthread_join(other, 0);
  return sum == 0;
#endif
}
)";

TEST_CASE("A race that leads to a crash is told with it, in searches, runs and replays") {
  const WorkingDirectory here;
  here.write("app.c", crashing);
  for (const std::string compiler : compilers) {
    CAPTURE(compiler);
    build(here, compiler, "-O1");
    const CommandResult search = here.orrery(
        "explore --detect fasttrack --preempt shared --keep-going --runs 40 -o dead.orr ./app");
    INFO(search.out << search.err);
    CHECK(search.status == 1);
    const std::size_t crash = search.out.find("crash: the program died of SIGSEGV");
    REQUIRE(crash != std::string::npos);
    const std::string told = search.out.substr(crash);
    CHECK(has(told, "data_race: nothing orders two accesses to memory (8 bytes)"));
    CHECK(has(told, "app.c:13"));
    CHECK(has(told, "app.c:28"));
    const CommandResult replay = here.orrery("replay dead-2.orr");
    INFO(replay.err);
    CHECK(replay.status == 1);
    CHECK(has(replay.err, "crash: the program died of SIGSEGV"));
    CHECK(has(replay.err, "data_race: nothing orders two accesses to memory (8 bytes)"));
    build(here, compiler, "-O1 -DMENDED");
    CHECK(here.orrery("explore --detect fasttrack --preempt shared --runs 40 ./app").status == 0);
  }
}

}  // namespace
