// Symbolic links that a program makes.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

/// As the program finds it.
void make_anew(const WorkingDirectory& here) {
  REQUIRE(here.shell("rm -rf given some early later.txt new.txt && mkdir given && "
                     "echo old > given/old.txt")
              .status == 0);
}

TEST_CASE("Symbolic links do in simulation, and in replays of real runs, what they do on Linux") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("cc -g -pthread " ORRERY_SOURCE_DIR "/tests/programs/as_linux/links.c -o app")
              .status == 0);
  make_anew(here);
  const CommandResult run = here.orrery("run --quiet --keep-files kept ./app");
  INFO(run.err);
  CHECK(run.out == "good\n");
  CHECK(here.shell("ls -A && ls -A given").out == "app\ngiven\nkept\nold.txt\n");
  CHECK(here.shell("readlink kept/early && cat kept/early").out == "later.txt\nmade");
  for (const char* const method : {"lamport-order", "stride"}) {
    CAPTURE(method);
    make_anew(here);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.out == "good\n");
    make_anew(here);
    CHECK(outputs_of_replays(here) == "good\nno finding");
  }
}

}  // namespace
