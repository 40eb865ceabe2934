// What a real run wrote is kept with its log, and a replay that writes something else says so.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// The real main thread computes for so long that it sees what the other one has written; in
// simulation, where computing takes no time, it does not.
const std::string racing =
    "#include <pthread.h>\n#include <stdio.h>\n"
    "static int ready;\n"
    "static void* work(void* argument) {\n"
    "  ready = 1;\n"  // line 5
    "  return argument;\n}\n"
    "int main(void) {\n"
    "  pthread_t thread;\n"
    "  puts(\"begun\");\n"
    "  pthread_create(&thread, 0, work, 0);\n"
    "  for (volatile long i = 0; i < 300000000; ++i) continue;\n"
    "#ifdef MENDED\n  pthread_join(thread, 0);\n#endif\n"
    "  printf(\"ready: %d\\n\", ready);\n"  // line 16
    "#ifndef MENDED\n  pthread_join(thread, 0);\n#endif\n"
    "  return 0;\n}\n";

CommandResult record(const WorkingDirectory& here, const std::string& flags) {
  return here.orrery("record --quiet -o run.orr " + flags + " ./app");
}

}  // namespace

TEST_CASE(
    "A replay that writes something else than the real run is a finding that names the race") {
  const WorkingDirectory here;
  build_app(here, racing, "-g -O1 -pthread");
  const CommandResult real = record(here, "--keep-output");
  INFO(real.err);
  REQUIRE(real.status == 0);
  CHECK(real.out == "begun\nready: 1\n");
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.out << again.err);
  CHECK(again.status == 1);
  CHECK(again.out == "begun\nready: 0\n");
  CHECK(has(again.err, "line 2 of the output is 'ready: 0', and should be 'ready: 1'"));
  CHECK(has(again.err, "nothing orders two accesses to ready"));
  CHECK(has(again.err, "app.c:5"));
  CHECK(has(again.err, "app.c:16"));
  CHECK(has(again.err, "race frontier"));
}

TEST_CASE("A replay that writes the same is clean, whoever reads what the real run wrote") {
  const WorkingDirectory here;
  build_app(here, racing, "-g -O1 -pthread -DMENDED");
  for (const char* const flags : {"--keep-output", "--keep-output --json"}) {
    CAPTURE(flags);
    const CommandResult real = record(here, flags);
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(has(real.out, "ready: 1"));
    CHECK(here.orrery("replay --seed 4 run.orr").status == 0);
  }
}

TEST_CASE("A program whose output nobody reads any further is told so, and its log is kept") {
  const WorkingDirectory here;
  build_app(here,
            "#include <stdio.h>\n"
            "int main(void) {\n"
            "  for (;;) puts(\"on and on\");\n}\n",
            "-g -O1 -pthread");
  const CommandResult real = here.shell("timeout 20 '" ORRERY_BINARY
                                        "' record --keep-output -o run.orr ./app | head -n 2");
  CHECK(real.out == "on and on\non and on\n");
  CHECK(has(real.err, "SIGPIPE"));
  CHECK(has(real.err, "saved: run.orr"));
}

TEST_CASE("Output can be kept of a program of threads that is run") {
  const WorkingDirectory here;
  const CommandResult job =
      here.orrery("record --keep-output --method wildcards -o run.orr /bin/true");
  CHECK(job.status == 2);
  CHECK(has(job.err, "--keep-output: is for programs of threads"));
  CHECK(has(job.err, "replay --expect-output FILE"));
  const CommandResult nothing = here.orrery("record --keep-output -o run.orr");
  CHECK(nothing.status == 2);
  CHECK(has(nothing.err, "no command is given whose output could be kept"));
  CHECK(here.files().empty());
}
