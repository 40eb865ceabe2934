// Programs whose threads ask a lock whether it is free, recorded by every method; and those that
// come to memory that is not there.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::all_methods;
using orrery::test::build_app;
using orrery::test::check_real_recordings;
using orrery::test::check_simulated_recordings;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("Who tries a lock that readers hold finds them in replays as when it was recorded") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
#include <stdio.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int got[3];
static int count;
static void* work(void* number) {
  for (int i = 0; i < 3; ++i) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) != 0) continue;
    ++count;
    ++got[(long)number];
    pthread_rwlock_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  printf("%d: %d %d %d\n", count, got[0], got[1], got[2]);
  return 0;
}
)",
            "-g -O1 -w -pthread", "c");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {1, 2, 3, 4, 5, 6, 7, 8});
}

/// A thread leaves a pointer to nowhere, and `main` looks there.
void check_same_crash(const std::string& pointer, const std::string& address) {
  const WorkingDirectory here;
  build_app(here,
            "#include <pthread.h>\n"
            "static int* volatile shared;\n"
            "static void* spoil(void* a) { shared = (int*)" +
                pointer +
                "; return a; }\n"
                "int main(void) {\n  pthread_t other;\n  pthread_create(&other, 0, spoil, 0);\n"
                "  pthread_join(other, 0);\n  return *shared;\n}\n",
            "-g -O1 -w -pthread", "c");
  for (const std::string method : all_methods) {
    CAPTURE(method);
    const CommandResult run =
        here.orrery("run --preempt all --record run.orr --method " + method + " ./app");
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK(has(run.err, address));
    CHECK(has(run.err, "at app.c:8 in main"));
    const CommandResult again = here.orrery("replay --seed 7 run.orr");
    INFO(again.err);
    CHECK(again.status == 1);
    CHECK(again.err.substr(0, again.err.find('\n')) == run.err.substr(0, run.err.find('\n')));
  }
}

TEST_CASE("A run that dies of reading where no memory is is recorded, and dies of it again") {
  check_same_crash("0x18", "at address 0x18");
  check_same_crash("0x2061206874697720", "at an address that cannot be");
}

}  // namespace
