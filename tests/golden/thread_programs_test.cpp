// The threaded programs of scenarios/programs/threads, as a user meets them: built, run, searched.
#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// A program, and how its bug (`-DBUG`) is found.
struct ThreadProgram {
  const char* name;
  const char* kind;
  const char* place;  ///< the file that the finding names
  const char* flags;  ///< of the search
  int runs;           ///< in how many it is found at the latest
};
constexpr const char* at_synchronisation = "";
constexpr const char* races = "--detect fasttrack";
constexpr std::array<ThreadProgram, 8> programs{{
    {"lu", "data_race", "factor.c", races, 10},
    {"fft", "data_race", "plan.c", races, 10},
    {"radix", "deadlock", "barrier.c", at_synchronisation, 100},
    {"steal", "assertion", "pool.cpp", at_synchronisation, 3000},
    {"pool", "assertion", "packet_pool.cpp", at_synchronisation, 3000},
    {"bank", "deadlock", "audit.c", at_synchronisation, 1000},
    {"nbody", "data_race", "space.cpp", races, 10},
    {"cache", "deadlock", "request_queue.cpp", at_synchronisation, 3000},
}};

const std::string folder = ORRERY_SOURCE_DIR "/scenarios/programs/threads";

/// `compilers`: assignments of CC and CXX.
void build(const WorkingDirectory& here, const std::string& compilers, const std::string& words) {
  const CommandResult built = here.shell(compilers + " '" + folder + "/build.sh' " + words);
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

}  // namespace

TEST_CASE("Thread programs give one answer natively, with gcc and clang, with any threads") {
  for (const ThreadProgram& program : programs) {
    for (const std::string compilers : {"CC=gcc CXX=g++", "CC=clang CXX=clang++"}) {
      CAPTURE(program.name, compilers);
      const WorkingDirectory here;
      build(here, compilers, std::string(program.name) + " app -Wall -Wextra -Werror");
      const CommandResult first = here.shell("./app");
      INFO(first.out << first.err);
      CHECK(first.status == 0);
      CHECK_FALSE(first.out.empty());
      for (int again = 0; again < 5; ++again) CHECK(here.shell("./app").out == first.out);
      CHECK(here.shell("./app 9 1").status == 0);
    }
  }
}
