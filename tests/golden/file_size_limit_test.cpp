// `ulimit -f`: what the command cannot write for it is told as a full disk is.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

}  // namespace

TEST_CASE("A program that the command starts gets the signal as ever") {
  const WorkingDirectory here;
  const CommandResult made = here.shell(
      "cat >main.c <<'X'\nint main(void) { return 0; }\nX\n"
      "cat >cc1.sh <<'X'\n#!/bin/sh\ngrep SigCgt /proc/self/status >caught\n"
      "grep SigIgn /proc/self/status >ignored\nexec /usr/bin/as \"$@\"\nX\n"
      "mkdir tools; mv cc1.sh tools/as; chmod +x tools/as; '" ORRERY_BINARY
      "' cc -B tools main.c -o main && cat caught ignored");
  INFO(made.out << made.err);
  REQUIRE(made.status == 0);
  // SIGXFSZ is 25: the lowest digit of the seventh from the right.
  for (const std::size_t place : {made.out.find("SigCgt"), made.out.find("SigIgn")}) {
    REQUIRE(place != std::string::npos);
    const std::string digits = made.out.substr(made.out.find_first_of("0123456789", place), 16);
    CHECK((std::stoull(digits, nullptr, 16) >> 24U & 1U) == 0);
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // with which programs are larger than these limits
namespace {

/// Numbers that do not compress go round.
constexpr const char* numbers = R"(#include <mpi.h>
int main(int argc, char** argv) {
  int rank;
  unsigned got[64], sent[64];
  unsigned long next;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  next = rank + 88172645463325252;
  for (int round = 0; round < 2000; ++round) {
    for (int i = 0; i < 64; ++i) {
      next ^= next << 13, next ^= next >> 7, next ^= next << 17;
      sent[i] = next;
    }
    MPI_Sendrecv(sent, 64, MPI_UNSIGNED, 1 - rank, 0, got, 64, MPI_UNSIGNED, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
)";

/// With at most so many blocks a file, of 512 or 1,024 bytes as the shell counts.  A program's
/// memory counts as a file.
CommandResult limited(const WorkingDirectory& here, int blocks, const std::string& words) {
  return here.shell("ulimit -f " + std::to_string(blocks) + "; '" ORRERY_BINARY "' " + words);
}

}  // namespace

TEST_CASE("A log that would be larger than a file may be ends with a word, and no signal") {
  const WorkingDirectory here;
  build_app(here, numbers, "");
  const CommandResult contents =
      limited(here, 400, "run -n 2 --quiet --record a.orr --method contents ./app");
  INFO(contents.err);
  CHECK(contents.status == 2);
  CHECK(has(contents.err, "the log cannot be written: File too large"));
  CHECK(has(contents.err, "the log ends there"));
  CHECK_FALSE(std::filesystem::exists(here.path() / "a.orr"));

  const CommandResult none = limited(here, 16, "run -n 2 --quiet --record b.orr ./app");
  INFO(none.err);
  CHECK(none.status == 2);
  CHECK(has(none.err, "File too large"));
  CHECK(has(none.err, "raise the limit on the size of files (`ulimit -f`)"));
}

TEST_CASE("Images that would be larger than a file may be end there, and the run goes on") {
  const WorkingDirectory here;
  build_app(here, numbers, "");
  const CommandResult run =
      limited(here, 1000, "run -n 2 --record a.orr --method wildcards --checkpoint-every 40 ./app");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK(has(run.err, "no checkpoints from here on"));
  CHECK(here.orrery("replay a.orr --quiet --interval 0:0").status == 0);
}
#endif
