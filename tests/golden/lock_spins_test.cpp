// Threads that look at a flag under a lock, time and again, until somebody sets it: they wait, and
// come to an end whoever chooses.  Where nobody ever sets it, that is told.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// A program of threads: `wait` is what the waiting thread does, `set` what the main one does
/// before it sets the flag.
std::string threads(const std::string& wait, const std::string& set, bool is_set) {
  return "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
         "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
         "static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;\nstatic int flag;\n"
         "static void *waits(void *argument) {\n  int seen = 0;\n" +
         wait +
         "  return argument;\n}\n"
         "int main(void) {\n  pthread_t other;\n  pthread_create(&other, NULL, waits, NULL);\n" +
         set + "  pthread_mutex_lock(&mutex);\n  pthread_rwlock_wrlock(&lock);\n  flag = " +
         (is_set ? "1" : "0") +
         ";\n  pthread_rwlock_unlock(&lock);\n  pthread_mutex_unlock(&mutex);\n"
         "  pthread_join(other, NULL);\n  puts(\"done\");\n  return 0;\n}\n";
}

/// Two ranks with a thread each, which waits until the main one has got a message.
std::string ranks(const std::string& wait, bool is_set) {
  return "#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n"
         "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic int flag;\n"
         "static void *waits(void *argument) {\n  int seen = 0;\n" +
         wait +
         "  return argument;\n}\n"
         "int main(int argc, char **argv) {\n  int level, rank, number = 0;\n  pthread_t other;\n"
         "  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  pthread_create(&other, NULL, waits, NULL);\n"
         "  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
         "  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, "
         "MPI_STATUS_IGNORE);\n"
         "  pthread_mutex_lock(&mutex);\n  flag = " +
         std::string(is_set ? "1" : "0") +
         ";\n  pthread_mutex_unlock(&mutex);\n"
         "  pthread_join(other, NULL);\n  MPI_Barrier(MPI_COMM_WORLD);\n"
         "  if (rank == 0) puts(\"done\");\n  MPI_Finalize();\n  return 0;\n}\n";
}

constexpr const char* looks_under_lock =
    "  while (!seen) {\n    pthread_mutex_lock(&mutex);\n    seen = flag;\n"
    "    pthread_mutex_unlock(&mutex);\n  }\n";
// As MPICH's tests do, to have their stores seen.
constexpr const char* looks_between_locks =
    "  while (!*(volatile int *)&flag) {\n    pthread_mutex_lock(&mutex);\n"
    "    pthread_mutex_unlock(&mutex);\n  }\n  (void)seen;\n";
constexpr const char* looks_as_reader =
    "  while (!seen) {\n    pthread_rwlock_rdlock(&lock);\n    seen = flag;\n"
    "    pthread_rwlock_unlock(&lock);\n  }\n";
constexpr const char* looks_under_two_locks =
    "  while (!seen) {\n    pthread_rwlock_rdlock(&lock);\n    pthread_rwlock_unlock(&lock);\n"
    "    if (pthread_mutex_trylock(&mutex)) continue;\n    seen = flag;\n"
    "    pthread_mutex_unlock(&mutex);\n  }\n";
constexpr const char* looks_and_probes =
    "  int other = 0;\n  while (!seen) {\n    pthread_mutex_lock(&mutex);\n    seen = flag;\n"
    "    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);\n"
    "    pthread_mutex_unlock(&mutex);\n  }\n";

void check_ends(const WorkingDirectory& here, const std::string& machine) {
  CAPTURE(machine);
  for (const char* const seed : {"0", "1", "2"}) {
    const CommandResult run = here.orrery("run --json " + machine + " --seed " + seed + " ./app");
    INFO(run.out << run.err);
    REQUIRE(run.status == 0);
    CHECK(json::parse(run.out)["output"] == "done\n");
  }
  for (const char* const strategy : {"random", "pct", "pos", "round_robin", "exhaustive"}) {
    for (const char* const window : {"", "--window 0 ", "--window 10us "}) {
      CAPTURE(strategy, window);
      const CommandResult search =
          here.orrery("explore --json --runs 20 --strategy " + std::string(strategy) + " " +
                      window + machine + " ./app");
      INFO(search.out << search.err);
      CHECK(search.status == 0);
    }
  }
}

void check_never_ends(const WorkingDirectory& here, const std::string& machine) {
  CAPTURE(machine);
  for (const char* const command :
       {"run", "explore --no-shrink --runs 3", "explore --no-shrink --runs 3 --window 0"}) {
    const CommandResult result =
        here.orrery(std::string(command) + " --json --step-limit 20000 " + machine + " ./app");
    INFO(result.out << result.err);
    REQUIRE(result.status == 1);
    const json finding = json::parse(result.out)["findings"].at(0);
    CHECK(finding["kind"] == "livelock");
    CHECK_THAT(finding["message"].get<std::string>(),
               Catch::Contains("repeats") && Catch::Contains("lock mutex"));
  }
}

}  // namespace

TEST_CASE("A thread that looks at a flag under a lock lets others go on, and time") {
  const WorkingDirectory here;
  for (const char* const wait :
       {looks_under_lock, looks_between_locks, looks_as_reader, looks_under_two_locks}) {
    for (const char* const set : {"", "  usleep(300);\n", "  sleep(2);\n"}) {
      CAPTURE(wait, set);
      build_app(here, threads(wait, set, true), "-g -O1 -pthread");
      check_ends(here, "");
    }
  }
}

TEST_CASE("A flag under a lock that nobody sets is a livelock") {
  const WorkingDirectory here;
  build_app(here, threads(looks_under_lock, "", false), "-g -O1 -pthread");
  check_never_ends(here, "");
  build_app(here, threads(looks_between_locks, "  usleep(300);\n", false), "-g -O1 -pthread");
  check_never_ends(here, "");
}

TEST_CASE("A lock that is tried for ever, and a flag that its holder waits for, are livelocks") {
  const WorkingDirectory here;
  const char* const holds = "  pthread_mutex_lock(&mutex);\n  pthread_rwlock_rdlock(&lock);\n";
  for (const std::string wait : {"  while (pthread_mutex_trylock(&mutex)) sched_yield();\n",
                                 "  while (pthread_mutex_trylock(&mutex)) ;\n"}) {
    CAPTURE(wait);
    build_app(here, "#include <sched.h>\n" + threads(wait + "  (void)seen;\n", holds, false),
              "-g -O1 -pthread");
    for (const char* const command : {"run --json ./app", "explore --json --no-shrink ./app"}) {
      const CommandResult result = here.orrery(command);
      INFO(result.out << result.err);
      CHECK(result.status == 1);
    }
  }
  const char* const spins =
      "  pthread_mutex_lock(&mutex);\n  while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) ;\n"
      "  pthread_mutex_unlock(&mutex);\n  (void)seen;\n";
  build_app(here, threads(spins, "  sleep(1);\n", true), "-g -O1 -pthread");
  const CommandResult run = here.orrery("run --json ./app");
  INFO(run.out << run.err);
  REQUIRE(run.status == 1);
  const json finding = json::parse(run.out)["findings"].at(0);
  CHECK(finding["kind"] == "livelock");
  CHECK(finding["where"].at(0)["task"] == "waits#1");
}

TEST_CASE("A run that a limit ends is told with the line where it was") {
  const WorkingDirectory here;
  const char* const counts =
      "  for (;;) { sleep(1); __atomic_store_n(&flag, ++seen, __ATOMIC_SEQ_CST); }\n";
  build_app(here, threads(counts, "", true), "-g -O1 -pthread");
  for (const char* const limit : {"--virtual-limit 9s", "--step-limit 100"}) {
    CAPTURE(limit);
    const CommandResult run = here.orrery(std::string("run --json ") + limit + " ./app");
    INFO(run.out << run.err);
    REQUIRE(run.status == 3);
    const json spins_at = json::parse(run.out)["stats"]["spins_at"];
    CHECK(spins_at["task"] == "waits#1");
    CHECK(spins_at["line"] == 9);
    const CommandResult search =
        here.orrery(std::string("explore --json --runs 3 ") + limit + " ./app");
    INFO(search.out << search.err);
    REQUIRE(search.status == 3);
    CHECK(json::parse(search.out)["stats"]["limits"].at(0)["at"] == spins_at);
  }
  const CommandResult told = here.orrery("explore --runs 3 --virtual-limit 9s ./app");
  CHECK_THAT(told.out, Catch::Contains("waits#1 ran last, and was at ") &&
                           Catch::Contains("app.c:9 in waits"));
}

TEST_CASE("A thread of a rank that looks at a flag under a lock lets messages come") {
  const WorkingDirectory here;
  for (const char* const wait : {looks_under_lock, looks_between_locks, looks_and_probes}) {
    CAPTURE(wait);
    build_app(here, ranks(wait, true), "-g -O1 -pthread");
    check_ends(here, "-n 2");
  }
}

TEST_CASE("A flag of a rank's threads that nobody sets is a livelock") {
  const WorkingDirectory here;
  build_app(here, ranks(looks_under_lock, false), "-g -O1 -pthread");
  check_never_ends(here, "-n 2");
}

TEST_CASE("Work that is done under a lock takes little time, and is done before a far deadline") {
  const WorkingDirectory here;
  const std::string work =
      "  for (; seen < 2000; ++seen) {\n    pthread_mutex_lock(&mutex);\n    ++flag;\n"
      "    pthread_mutex_unlock(&mutex);\n  }\n";
  build_app(here,
            threads(work,
                    "  sleep(1);\n  pthread_mutex_lock(&mutex);\n  printf(\"%d\\n\", flag);\n"
                    "  pthread_mutex_unlock(&mutex);\n",
                    true),
            "-g -O1 -pthread");
  const CommandResult late = here.orrery("run --json ./app");
  INFO(late.out << late.err);
  CHECK(json::parse(late.out)["output"] == "2000\ndone\n");
  build_app(here, threads(work, "", true), "-g -O1 -pthread");
  const CommandResult alone = here.orrery("run --json ./app");
  CHECK(json::parse(alone.out)["virtual_time_ns"] == 0);
}
