// `orrery replay --gdb`: the user lands in a gdb whose program is the replay of the log.
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Is gdb here, and may it hold processes (containers may forbid it)?  Not inside of itself.
bool has_gdb(const WorkingDirectory& here) {
  if (std::getenv("ORRERY_REPLAY") != nullptr) return false;
  return has(here.shell("gdb -q -batch -ex run --args true").out, "exited normally");
}

/// What a user sees who types these lines.
std::string session(const WorkingDirectory& here, const std::string& log,
                    const std::string& lines) {
  const CommandResult result = here.orrery("replay --gdb " + log, lines);
  return result.out + result.err;
}

void put_fake_gdb(const WorkingDirectory& here) {
  REQUIRE(here.shell("mkdir fake").status == 0);
  here.write("fake/gdb", "#!/bin/sh\nprintf '%s\\n' \"$@\" >arguments\n");
  REQUIRE(here.shell("chmod +x fake/gdb").status == 0);
}

TEST_CASE("gdb gets this very command line, without --gdb and without a limit on real time") {
  const WorkingDirectory here;
  put_fake_gdb(here);
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string orrery = "PATH=\"$PWD/fake:$PATH\" '" ORRERY_BINARY "' ";
  CHECK(here.shell(orrery + "replay --seed 3 --gdb --no-color -- bug.orr").status == 0);
  const std::string arguments = here.read("arguments");
  INFO(arguments);
  CHECK(has(arguments, "break orrery_finding\n"));
  CHECK(has(arguments, "--args\n" ORRERY_BINARY
                       "\nreplay\n--seed\n3\n--no-color\n--wall-limit\ninf\n--\nbug.orr\n"));
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
}

TEST_CASE("In gdb the replay of a scenario stops in the finding, with the line on the stack") {
  const WorkingDirectory here;
  if (!has_gdb(here)) return;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const std::string said = session(here, "bug.orr", "run\nbacktrace\ncontinue\n");
  INFO(said);
  CHECK(has(said, "Breakpoint 1, orrery_finding"));
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

[[gnu::noinline]] void always_fails(orrery::World& world) {
  world.check(false, "it always fails");
  world.write("so that the check is not the last call");
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
  CHECK(has(said, "Breakpoint 1, orrery_finding"));
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
  CHECK(has(text, "Breakpoint 1, orrery_finding"));
  CHECK(has(text, "main () at app.c:3"));
}
#endif

}  // namespace
