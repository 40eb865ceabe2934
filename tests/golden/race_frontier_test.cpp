// A replay that follows synchronisation alone, of a program with a data race that goes another way.
#include <algorithm>
#include <string>

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

// The first thread looks at `ready` when it has slept (on real cores: in simulation nobody runs
// meanwhile that has to be waited for), the other one sets it at once.  Where the one that looks
// does not find it, the program takes a lock that the recorded run has not taken.
const std::string racing =
    "#include <pthread.h>\n"
    "#include <stdio.h>\n"
    "#include <unistd.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "static int ready;\n"
    "static void spend(long turns) {\n"
    "  for (volatile long i = 0; i < turns; ++i) continue;\n"
    "}\n"
    "static void* work(void* argument) {\n"
    "  pthread_mutex_lock(&lock);\n"
    "  pthread_mutex_unlock(&lock);\n"
    "#ifdef MENDED\n"
    "  pthread_mutex_lock(&lock);\n"
    "#endif\n"
    "  ready = 1;\n"  // line 15
    "#ifdef MENDED\n"
    "  pthread_mutex_unlock(&lock);\n"
    "#endif\n"
    "  return argument;\n"
    "}\n"
    "int main(void) {\n"
    "  pthread_t thread;\n"
    "  int seen;\n"
    "  pthread_create(&thread, 0, work, 0);\n"
    "  spend(300000000);\n"
    "#ifdef MENDED\n"
    "  pthread_join(thread, 0);\n"
    "#endif\n"
    "  seen = ready;\n"  // line 29
    "  if (!seen) { pthread_mutex_lock(&lock); puts(\"early\"); pthread_mutex_unlock(&lock); }\n"
    "#ifndef MENDED\n"
    "  pthread_join(thread, 0);\n"
    "#endif\n"
    "  return seen ? 3 : 0;\n"
    "}\n";

void build_for_orrery(const WorkingDirectory& here, const std::string& flags) {
  build_app(here, racing, "-g -O1 -pthread " + flags);
}

CommandResult record(const WorkingDirectory& here) {
  return here.orrery("record --quiet -o run.orr ./app");
}

}  // namespace

TEST_CASE("A replay that a data race has led astray names the race, and how far it is faithful") {
  const WorkingDirectory here;
  build_for_orrery(here, "");
  const CommandResult real = record(here);
  INFO(real.err);
  REQUIRE(real.status == 1);
  CHECK(has(real.err, "exits with status 3"));
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.out << again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "it has gone another way"));
  CHECK(has(again.err, "data_race (parallel segments): nothing orders two accesses to ready"));
  CHECK(has(again.err, "app.c:15"));
  CHECK(has(again.err, "app.c:29"));
  CHECK(has(again.err, "race frontier"));
  CHECK(has(again.err, "would read here, after operation"));
  CHECK(has(again.err, "would write here, after operation"));
  CHECK(has(again.err, "orrery record --method stride"));

  const CommandResult told = here.orrery("replay --json run.orr");
  const auto json = nlohmann::json::parse(told.out);
  const auto& findings = json.at("findings");
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].at("kind") == "divergence");
  CHECK(findings[1].at("kind") == "data_race");
  CHECK(json.at("stats").at("remarks")[0].at("where").size() == 2);
  CHECK(has(json.at("stats").at("race_search").get<std::string>(), "race frontier"));

  // Who asks for the detector gets the same.
  const CommandResult asked = here.orrery("replay --detect recplay run.orr");
  INFO(asked.err);
  CHECK(has(asked.err, "app.c:15"));
  CHECK(has(asked.err, "race frontier"));
}

TEST_CASE("The mended program's replay ends as the run did, and nothing is looked for") {
  const WorkingDirectory here;
  build_for_orrery(here, "-DMENDED");
  const CommandResult real = record(here);
  REQUIRE(real.status == 1);
  const CommandResult again = here.orrery("replay --json run.orr");
  const auto json = nlohmann::json::parse(again.out);
  INFO(again.out);
  REQUIRE(json.at("findings").size() == 1);
  CHECK(json.at("findings")[0].at("kind") == "exit");
  CHECK_FALSE(json.at("stats").contains("race_search"));
}

TEST_CASE("Of a program that nobody can watch, a replay says how to have the race named") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", racing);
  REQUIRE(record(here).status == 1);
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "divergence"));
  CHECK(has(again.err, "may be a data race: build the program with orrery cc"));
}

TEST_CASE("Who spins on plain memory is a race, which a replay names with its frontier") {
  const WorkingDirectory here;
  here.write("app.c",
             "#include <pthread.h>\n#include <stdio.h>\n"
             "static volatile int flag;\nstatic int value;\n"
             "static void* work(void* argument) {\n"
             "  value = 42;\n"
             "  flag = 1;\n"  // line 7
             "  return argument;\n}\n"
             "int main(void) {\n"
             "  pthread_t thread;\n"
             "  pthread_create(&thread, 0, work, 0);\n"
             "  while (!flag) continue;\n"  // line 13
             "  printf(\"%d\\n\", value);\n"
             "  pthread_join(thread, 0);\n"
             "  return 0;\n}\n");
  REQUIRE(here.orrery("cc -g -O1 -pthread app.c -o app").status == 0);
  const CommandResult real = record(here);
  REQUIRE(real.status == 0);
  CHECK(real.out == "42\n");
  const CommandResult again = here.orrery("replay --wall-limit 1s run.orr");
  INFO(again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "main ran on without an operation that others could see"));
  CHECK(has(again.err, "data_race (parallel segments): nothing orders two accesses to flag"));
  CHECK(has(again.err, "app.c:7"));
  CHECK(has(again.err, "app.c:13"));
  CHECK(has(again.err, "race frontier"));
  CHECK(has(again.err, "orrery record --method stride"));
}

TEST_CASE("No race is blamed where a replay goes another way for another reason") {
  const WorkingDirectory here;
  // The address of a block is another one in simulation.
  here.write("app.c",
             "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
             "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
             "static void* work(void* argument) { return argument; }\n"
             "int main(void) {\n"
             "  pthread_t thread;\n"
             "  FILE* file = fopen(\"/proc/self/maps\", \"r\");\n"
             "  char line[400];\n"
             "  int times = 0;\n"
             "  pthread_create(&thread, 0, work, 0);\n"
             "  pthread_join(thread, 0);\n"
             "  while (file && fgets(line, sizeof line, file)) ++times;\n"
             "  for (int i = 0; i < times; ++i) {\n"
             "    pthread_mutex_lock(&lock);\n    pthread_mutex_unlock(&lock);\n  }\n"
             "  return 0;\n}\n");
  const CommandResult built = here.orrery("cc -g -O1 -pthread app.c -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
  REQUIRE(record(here).status == 0);
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  if (again.status == 0) return;  // files are the log's
  CHECK(has(again.err, "no data race comes before that"));
  CHECK_FALSE(has(again.err, "data_race"));
}

TEST_CASE("A run that somebody else has ended is replayed up to there, and no race is blamed") {
  struct Case {
    const char* body;
    const char* what;
  };
  // They poll something for ever: an atomic, a lock, a word between sleeps.
  for (const Case& one :
       {Case{"while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) continue;", "an atomic"},
        Case{"while (pthread_mutex_trylock(&lock) != 0) continue;", "a lock"},
        Case{"while (!*(volatile int*)&stop) usleep(1000);", "a word"}}) {
    CAPTURE(one.what);
    const WorkingDirectory here;
    here.write("app.c", std::string("#include <pthread.h>\n#include <unistd.h>\n"
                                    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
                                    "static int stop;\n"
                                    "static void* work(void* argument) {\n  ") +
                            one.body +
                            "\n  return argument;\n}\n"
                            "int main(void) {\n  pthread_t thread;\n  pthread_mutex_lock(&lock);\n"
                            "  pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n"
                            "  return stop;\n}\n");
    const CommandResult built = here.orrery("cc -g -O1 -pthread app.c -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
    const CommandResult real = here.shell(
        fmt::format("timeout -s INT 1 '{}' record --json --quiet -o run.orr ./app", ORRERY_BINARY));
    const auto recorded = nlohmann::json::parse(real.out);
    INFO(real.out << real.err);
    CHECK(recorded.at("findings")[0].at("class") == "from outside");
    // However often they have polled, that is one record.
    CHECK(recorded.at("stats").at("log_bytes").get<std::uint64_t>() < 2000);
    CHECK(recorded.at("stats").at("stamped").get<std::uint64_t>() < 20);
    const CommandResult again = here.orrery("replay  run.orr");
    INFO(again.err);
    CHECK(again.status == 1);
    CHECK(has(again.err, "crash (from outside): the program was ended by SIGINT (Interrupt)"));
    CHECK_FALSE(has(again.err, "divergence"));
    CHECK_FALSE(has(again.err, "race"));
  }
}

TEST_CASE("However long a thread spins before somebody ends it, its recorded reads tell how long") {
  const WorkingDirectory here;
  here.write("app.c", R"(#include <pthread.h>
#include <unistd.h>
static volatile int stop;
static volatile unsigned rounds;
static void* work(void* argument) {
  while (!stop && rounds != 500000) ++rounds;
  while (!stop) usleep(1000);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return stop;
}
)");
  REQUIRE(here.orrery("cc -g -O1 -pthread app.c -o app").status == 0);
  const CommandResult real = here.shell(fmt::format(
      "timeout -s INT 1 '{}' record --quiet --method stride -o run.orr ./app", ORRERY_BINARY));
  INFO(real.err);
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "crash (from outside)"));
  CHECK_FALSE(has(again.err, "divergence"));
}
