// `orrery replay --gdb`: the user lands in a gdb whose program is the replay of the log.
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "command_runner.hpp"
#include "gdb_session.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::has_gdb;
using orrery::test::session;
using orrery::test::stops_at_watchpoints;
using orrery::test::WorkingDirectory;

/// One that says this when it is asked for its version.
void put_fake_gdb(const WorkingDirectory& here, const std::string& version) {
  REQUIRE(here.shell("mkdir -p fake").status == 0);
  here.write("fake/gdb", "#!/bin/sh\n[ \"$1\" = --batch ] && { echo '" + version +
                             "'; exit; }\nprintf '%s\\n' \"$@\" >arguments\n");
  REQUIRE(here.shell("chmod +x fake/gdb").status == 0);
}

/// Three ranks; rank 0 takes two numbers in any order, and adds them up.
void build_sums(const WorkingDirectory& here, const std::string& flags = "-g -O0") {
  build_app(here, R"(#include <mpi.h>
static int sum;
int done;
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (int i = 1; i < size; ++i) {
      int got = 0;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum = sum * 3 + got;
    }
  } else {
    sum = rank * 10;
    MPI_Send(&sum, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  done = 1;
  MPI_Finalize();
  return 0;
}
)",
            flags);
  REQUIRE(here.orrery("run -n 3 --record sums.orr --method wildcards ./app").status == 0);
}

TEST_CASE("gdb gets this very command line, without --gdb and without a limit on real time") {
  const WorkingDirectory here;
  put_fake_gdb(here, "version 13.1");
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string orrery = "PATH=\"$PWD/fake:$PATH\" '" ORRERY_BINARY "' ";
  CHECK(here.shell(orrery + "replay --seed 3 --gdb --no-color -- bug.orr").status == 0);
  const std::string arguments = here.read("arguments");
  INFO(arguments);
  CHECK(has(arguments, "orrery-gdb.py\n"));
  CHECK(has(arguments, "--args\n" ORRERY_BINARY
                       "\nreplay\n--seed\n3\n--no-color\n--wall-limit\ninf\n--\nbug.orr\n"));
  CHECK(here.shell(orrery + "replay --gdb --at 2:17 bug.orr").status == 0);
  CHECK(has(here.read("arguments"),
            "orrery back 2:17\n--args\n" ORRERY_BINARY "\nreplay\nbug.orr\n--wall-limit\ninf\n"));
  CHECK(here.shell(orrery + "replay --gdb --rank=2 --at=5us bug.orr").status == 0);
  CHECK(has(here.read("arguments"), "orrery back 2@5000000ps\n--args\n" ORRERY_BINARY
                                    "\nreplay\nbug.orr\n--wall-limit\ninf\n"));
  CHECK(here.shell(orrery + "replay --wall-limit 5s --gdb bug.orr").status == 0);
  CHECK(has(here.read("arguments"), "replay\n--wall-limit\n5s\nbug.orr\n"));
}

TEST_CASE("A gdb that is not there, a log that is not, and --json are mistakes of the caller") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const CommandResult none = here.shell("PATH=/nowhere '" ORRERY_BINARY "' replay --gdb bug.orr");
  CHECK(none.status == 2);
  CHECK(has(none.err, "gdb: cannot be started"));
  CHECK(here.orrery("replay --gdb nothing.orr").status == 2);
  CHECK(here.orrery("replay --gdb --json bug.orr").status == 2);
  CHECK(here.orrery("replay --gdb --interval 1:2 bug.orr").status == 2);
  CHECK(here.orrery("replay --gdb --at soon bug.orr").status == 2);
  CHECK(here.orrery("replay --gdb --at 2:x bug.orr").status == 2);
  const std::string with_fake = "PATH=\"$PWD/fake:$PATH\" '" ORRERY_BINARY "' replay --gdb bug.orr";
  put_fake_gdb(here, "Python scripting is not supported in this copy of GDB.");
  const CommandResult mute = here.shell(with_fake);
  CHECK(mute.status == 2);
  CHECK(has(mute.err, "gdb: this gdb has no Python"));
  put_fake_gdb(here, "version Fedora 8.3.1");
  const CommandResult old = here.shell(with_fake);
  CHECK(old.status == 2);
  CHECK(has(old.err, "gdb Fedora 8.3.1 is too old"));
}

TEST_CASE("In gdb the replay of a scenario stops in the finding, with the line on the stack") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string said = session(here, "bug.orr", "run\nbacktrace\ncontinue\n");
  INFO(said);
  CHECK(has(said, "finding: "));
  CHECK(has(said, "a deposit is lost"));
  CHECK(has(said, "lost_update/scenario.cpp:"));
  CHECK(has(said, "exited with code 01"));
}

TEST_CASE("In gdb a hosted program stops at breakpoints of its own and where it dies") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  here.write("app.c", R"(#include <mpi.h>
static int *nowhere;
static void die(int rank) {
  if (rank == 1) *nowhere = 7;
}
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  die(rank);
  MPI_Finalize();
  return 0;
}
)");
  REQUIRE(here.orrery("cc -g -O0 -o app app.c").status == 0);
  REQUIRE(here.orrery("explore -n 2 -o bug.orr ./app").status == 1);
  const std::string said = session(
      here, "bug.orr", "break app.c:11 if rank == 1\nrun\nprint rank\ncontinue\nbacktrace\n");
  INFO(said);
  CHECK(has(said, "11\t  die(rank);"));
  CHECK(has(said, "$1 = 1"));
  CHECK(has(said, "Program received signal SIGSEGV"));
  CHECK(has(said, "in die (rank=1) at app.c:4"));
}

TEST_CASE("gdb stops at an event, and shows tasks, stacks, messages and dates") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  build_sums(here);
  const std::string said = session(here, "--rank 0 --at 0:2 sums.orr", "");
  CHECK(has(said, "cannot be used together with --at"));
  CHECK(has(session(here, "--at 3:1 sums.orr", ""), "--at: the log has no rank 3"));
  CHECK(has(session(here, "--rank 3 sums.orr", ""), "--rank: the log has no rank 3"));
  const std::string at = session(here, "--at 0:3 sums.orr",
                                 "orrery when\norrery tasks\norrery messages\nbacktrace\n"
                                 "print got\norrery back 1:2\norrery tasks\norrery rank 0\n"
                                 "print i\norrery task 7\norrery until 0:3\nprint sum\nkill\n");
  INFO(at);
  CHECK(has(at, "0:3: before operation 3 of rank 0 (MPI_Recv), at 50.032us\n"));
  CHECK(has(at, "in main (argc=1"));
  CHECK(has(at, "; rank 0 (task 1) has begun 2 operations\n"));
  CHECK(has(at, "*  1     rank 0  running  after 2 operations  app.c:12 in main\n"));
  CHECK(has(at, "7    4      arrived  50.032us\n"));
  CHECK(has(at, "no receive is open\n"));
  CHECK_FALSE(has(at, "orrery::"));  // backtraces are of the user's functions
  // Before that event, and of a rank that does not run.
  CHECK(has(at, "1:2: before operation 2 of rank 1 (MPI_Send), at 0ps\n"));
  CHECK(has(at, "rank 0  waiting  2: receive from any, tag 7  app.c:12 in main\n"));
  CHECK(has(at, "rank 0, task 1, waiting; 2: receive from any, tag 7\n"));
  CHECK(has(at, "$2 = 1\n"));
  CHECK(has(at, "there is no task 7: see 'orrery tasks'"));
  CHECK((has(at, "$3 = 10\n") || has(at, "$3 = 20\n")));
}

TEST_CASE("gdb stops where an expression over several ranks first holds") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  build_sums(here);
  const std::string said =
      session(here, "sums.orr",
              "orrery break sum@0 >= 10 && done@1 == 1\norrery break nothing@0 == 3\nrun\n"
              "print sum\norrery break nothing@0 == 3\norrery break sum@9 == 3\n"
              "orrery break sum@0 ==\norrery delete 3\norrery delete 1\norrery delete 2\n"
              "orrery break sum@0 > 39\ncontinue\norrery break\nkill\n");
  INFO(said);
  CHECK(has(said, "1: sum@0 >= 10 && done@1 == 1: before operation "));
  CHECK((has(said, "$1 = 10\n") || has(said, "$1 = 20\n")));  // not yet both
  CHECK(has(said, "rank 0 has no global or static variable 'nothing'"));
  CHECK(has(said, "there is no rank 9: see 'orrery tasks'"));
  CHECK(has(said, "sum@0 ==: A syntax error in expression"));
  CHECK(has(said, "there is no 3: 'orrery break' lists them"));
  CHECK(has(said, "1: sum@0 > 39: before operation "));
}

TEST_CASE("gdb says so where a program has no lines, and where an event does not come") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  build_sums(here, "-O0");
  const std::string said =
      session(here, "--at 0:2 sums.orr", "orrery tasks\norrery until 0:99\norrery tasks\n");
  INFO(said);
  CHECK(has(said, "The program has no debug information: breakpoints by line do nothing."));
  CHECK(has(said, "receive from any, tag 7") == false);
  CHECK(has(said, "0:2: before operation 2 of rank 0"));
  CHECK(has(said, "The run has ended before 0:99."));
  CHECK(has(said, "nothing runs yet: 'run' begins the replay"));
}

TEST_CASE("In gdb threads are tasks with stacks of their own") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  build_app(here, R"(#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *argument) {
  const int mine = *(int *)argument;
  pthread_mutex_lock(&mutex);
  count += mine;
  pthread_mutex_unlock(&mutex);
  return 0;
}
int main(void) {
  pthread_t threads[2];
  int numbers[2] = {3, 4};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return count != 7;
}
)",
            "-g -O0 -pthread");
  REQUIRE(here.orrery("run --record threads.orr ./app").status == 0);
  const std::string said =
      session(here, "threads.orr",
              "break app.c:7\nrun\norrery tasks\norrery task 1\nprint numbers\norrery task\n"
              "orrery break count@0 == 7\ncontinue\ncontinue\nprint count\nkill\n");
  INFO(said);
  CHECK(has(said, "  work#1  "));
  CHECK(has(said, "  running  after 2 operations  app.c:7 in work\n"));
  CHECK(has(said, "$1 = {3, 4}\n"));
  CHECK(has(said, "1: count@0 == 7: before operation "));
  CHECK(has(said, "$2 = 7\n"));
}

TEST_CASE("In gdb other threads can be looked at from within a function that was inlined") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  here.write("app.cpp", R"(#include <atomic>
#include <mutex>
#include <string>
#include <thread>
static std::mutex mutex;
static std::atomic<int> turn, started;
static std::string *text;
static inline void append(std::string *into) {
  *into += *into;
}
int main() {
  std::thread waiter([] {
    started.store(1);
    while (turn.load() == 0) continue;
    mutex.lock();
  });
  std::thread other([] {
    while (started.load() == 0) continue;
    append(text);
    turn.store(1);
  });
  waiter.join();
  other.join();
}
)");
  REQUIRE(here.orrery("c++ -O2 -g -pthread app.cpp -o app").status == 0);
  REQUIRE(here.orrery("run --detect fasttrack --record died.orr ./app").status == 1);
  const std::string said = session(here, "died.orr",
                                   "run\norrery tasks\norrery task 1\nbacktrace\norrery until 2:5\n"
                                   "orrery task 2\nkill\n");
  INFO(said);
  CHECK(has(said, "  main::{lambda()#1}#1  "));
  CHECK(has(said, "  main::{lambda()#2}#1  running "));
  CHECK(has(said, "main, task 1, waiting; 4: join"));
  CHECK(has(said, "app.cpp:22\n"));
  CHECK(has(said, "app.cpp:9 in append\n"));
  CHECK(has(said, "app.cpp:14 in operator()\n"));
  CHECK(has(said, "there is no rank 2, as 'orrery tasks' shows"));
  CHECK_FALSE(has(said, "Cannot access memory"));
  CHECK_FALSE(has(said, "orrery::hooks"));
}

TEST_CASE("An operation of a thread is named by its task, in logs of real threads, too") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  here.write("app.c", R"(#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  ++sum;
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
)");
  REQUIRE(here.shell("gcc -g -pthread app.c -o app").status == 0);
  REQUIRE(here.orrery("record --quiet -o real.orr ./app").status == 0);
  const std::string at = session(here, "--at 3.3 real.orr", "kill\n");
  INFO(at);
  CHECK(has(at, "3.3: before operation 3 of work#2 (pthread_mutex_unlock), at 0ps\n"));
  CHECK(has(at, "app.c:7\n"));
  const std::string none = session(here, "--at 3.99 real.orr", "");
  CHECK(has(none, "The run has ended before 3.99."));
  CHECK(has(none, "'orrery show FILE --export csv' numbers"));
  CHECK(
      has(session(here, "--at 3:1 real.orr", ""), "TASK.OPERATION, as in 3.17, names a thread's"));
  CHECK(has(here.orrery("replay --at 3.3 real.orr").err, "add --gdb"));
}

TEST_CASE("In gdb the run is the one that a replay does, where it infers its orders first, too") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  build_hooked(here, R"(#include <cstdlib>
#include <thread>
static volatile long done, seen;
int main() {
  std::thread thread([] {
    for (int i = 0; i < 4000; ++i) done = done + 1;
  });
  while (done == 0) continue;
  for (int i = 0; i < 100; ++i) seen = seen + done % 2;
  std::abort();
}
)");
  for (int i = 0; i < 3; ++i) {
    REQUIRE(here.orrery("record --quiet --method stride -o real.orr ./app").status == 1);
    const auto run = nlohmann::json::parse(here.orrery("replay --json real.orr").out);
    const std::string at = session(here, "real.orr", "run\norrery when\n");
    INFO(at);
    CHECK(has(at, fmt::format("after step {};", run.at("steps").get<std::uint64_t>())));
  }
}

TEST_CASE("Prints that are added to a program do not change what is replayed") {
  const WorkingDirectory here;
  build_sums(here);
  const std::string before = here.orrery("replay --timeline sums.orr").err;
  REQUIRE(here.shell("sed -i -e 's/sum = sum . 3 + got;/& printf(\"got %d\\\\n\", got);/' -e "
                     "'1i #include <stdio.h>' app.c")
              .status == 0);
  REQUIRE(here.orrery("cc -g -O0 -o app app.c").status == 0);
  CHECK(here.orrery("replay sums.orr").status == 2);  // another build
  const CommandResult after = here.orrery("replay --best-effort sums.orr");
  INFO(before << after.out << after.err);
  CHECK(after.status == 0);
  CHECK((has(after.out, "got 10\ngot 20\n") || has(after.out, "got 20\ngot 10\n")));
  if (!has_gdb(here)) return;
  const std::string said =
      session(here, "--best-effort sums.orr", "dprintf app.c:14,\"now %d\\n\", sum\nrun\n");
  INFO(said);
  CHECK(has(said, "now 0\n"));
  CHECK(has(said, "exited normally"));
}

[[gnu::noinline]] void always_fails(orrery::World& world) {
  world.check(false, "it always fails");
  world.write("so that the check is not the last call");
}

TEST_CASE("gdb keeps what is watched when it goes back, and says where an event does not come") {
  const WorkingDirectory here;
  if (!has_gdb(here) || !stops_at_watchpoints(here)) return;
  build_app(here, R"(#include <pthread.h>
static struct { int slot[8]; } second;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&mutex);
    second.slot[5] += 1;
    pthread_mutex_unlock(&mutex);
  }
  if (second.slot[5] == 8) *(volatile int *)argument = 1;
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
)",
            "-g -O0 -pthread");
  REQUIRE(here.orrery("run --record threads.orr ./app").status == 1);
  const std::string said = session(here, "--at 2.2 threads.orr",
                                   "watch second.slot[5]\ncontinue\norrery back 2.2\ncontinue\n"
                                   "orrery back 2.6\ncontinue\norrery back 9.9\nkill\n");
  INFO(said);
  CHECK_FALSE(has(said, "re-setting"));
  const std::size_t again = said.find("2.2: before", said.find("Old value = 1"));
  REQUIRE(again != std::string::npos);
  CHECK(said.find("Old value = 1", again) != std::string::npos);
  CHECK(said.find("Old value = ", said.find("2.6: before")) != std::string::npos);
  CHECK(has(said, "the run has come to this without 9.9: it has 4 tasks, and no task 9"));
}

TEST_CASE("In gdb the user's breakpoints can all be deleted, and the finding stops the run") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string said =
      session(here, "bug.orr", "info breakpoints\nbreak main\ndelete\nrun\nkill\n");
  INFO(said);
  CHECK(has(said, "No breakpoints or watchpoints."));
  CHECK(has(said, "Breakpoint 1 at"));
  CHECK(has(said, "finding: "));
}

TEST_CASE("In gdb the log of a C++ test is replayed by the test, which stops in the finding") {
  const WorkingDirectory here;
  orrery::ExploreOptions options;
  options.name = "a search for gdb";
  options.save_path = (here.path() / "test.orr").string();
  const orrery::Report report =
      orrery::explore(options, [](orrery::World& world) { always_fails(world); });
  CHECK(report.exit_status() == 1);
  if (!has_gdb(here)) return;
  const std::string said = session(here, "test.orr", "run\nbacktrace\n");
  INFO(said);
  CHECK(has(said, "finding: "));
  CHECK(has(said, "always_fails"));
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("gdb stops in the finding of a program that was not built for Orrery") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  here.write("app.c", "#include <stdlib.h>\nint main(void) {\n  abort();\n}\n");
  REQUIRE(here.shell("gcc -g app.c -o app").status == 0);
  REQUIRE(here.orrery("explore --threads -o bug.orr ./app").status == 1);
  const std::string text = session(here, "bug.orr", "run\nbacktrace\nkill\n");
  INFO(text);
  CHECK(has(text, "finding: crash: abort() was called"));
  CHECK(has(text, "main () at app.c:3"));
}
#endif

}  // namespace
