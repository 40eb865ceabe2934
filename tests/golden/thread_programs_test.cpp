// The threaded programs of scenarios/programs/threads, as a user meets them: built, run, searched.
#include <array>
#include <cstddef>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
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
constexpr std::array<ThreadProgram, 9> programs{{
    {"lu", "data_race", "factor.c", races, 10},
    {"fft", "data_race", "plan.c", races, 10},
    {"ocean", "data_race", "solver.c", races, 10},
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

/// `orrery cc` on top of a compiler: its C and its C++ one.
std::string simulated(const std::string& c, const std::string& cpp) {
  return "ORRERY_CC=" + c + " ORRERY_CXX=" + cpp +
         " CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY " c++'";
}
const std::array<std::string, 2> both_compilers{simulated("gcc", "g++"),
                                                simulated("clang", "clang++")};

/// The programs take turns: who is searched as gcc builds it runs without its bug as clang does.
const std::string& compiler_of(const ThreadProgram& program, std::size_t turn) {
  const auto index = static_cast<std::size_t>(&program - programs.data());
  return both_compilers[(index + turn) % both_compilers.size()];
}

bool names_file(const json& finding, const std::string& file) {
  for (const json& place : finding["where"]) {
    const std::string path = place["file"];
    if (path.size() >= file.size() && path.substr(path.size() - file.size()) == file) return true;
  }
  return false;
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

TEST_CASE("The bug of each thread program is found in the file where it is, and its log replays") {
  for (const ThreadProgram& program : programs) {
    const std::string& compilers = compiler_of(program, 0);
    CAPTURE(program.name, compilers);
    const WorkingDirectory here;
    build(here, compilers, std::string(program.name) + " app -DBUG");
    const CommandResult search =
        here.orrery("explore --json --no-shrink --step-limit 20000 " + std::string(program.flags) +
                    " --runs " + std::to_string(program.runs) + " -o bug.orr ./app");
    INFO(search.out << search.err);
    REQUIRE(search.status == 1);
    const json found = json::parse(search.out)["findings"].at(0);
    // A run that no assertion stops may still come to a wrong answer, which the program notices.
    const bool has_wrong_answer = std::string(program.kind) == "assertion" &&
                                  found["kind"] == "exit" && names_file(found, "main.cpp");
    if (!has_wrong_answer) {
      CHECK(found["kind"] == program.kind);
      CHECK(names_file(found, program.place));
    }
    const CommandResult replay = here.orrery("replay --json bug.orr");
    INFO(replay.out << replay.err);
    REQUIRE(replay.status == 1);
    const json again = json::parse(replay.out)["findings"].at(0);
    CHECK(again["kind"] == found["kind"]);
    CHECK(again["message"] == found["message"]);
    CHECK(again["where"] == found["where"]);
  }
}

TEST_CASE("Thread programs without their bug give the native answer under every seed") {
  for (const ThreadProgram& program : programs) {
    const std::string& compilers = compiler_of(program, 1);
    CAPTURE(program.name, compilers);
    const WorkingDirectory here;
    build(here, compilers, std::string(program.name) + " app");
    REQUIRE(here.shell("./app >native.txt").status == 0);
    const CommandResult run = here.orrery("run ./app");
    CHECK(run.out == here.read("native.txt"));
    CHECK(run.status == 0);
    const std::string flags = "explore --runs 100 --expect-output native.txt ";
    const CommandResult search = here.orrery(flags + "./app");
    INFO(search.out << search.err);
    CHECK(search.status == 0);
    const CommandResult detected = here.orrery("explore --runs 10 --detect fasttrack ./app");
    INFO(detected.out << detected.err);
    CHECK(detected.status == 0);
  }
}

TEST_CASE("Thread programs that were recorded on real cores are replayed to their ends") {
  for (const ThreadProgram& program : programs) {
    CAPTURE(program.name);
    const WorkingDirectory here;
    build(here, both_compilers[0], std::string(program.name) + " app");
    for (int round = 0; round < 3; ++round) {
      const CommandResult recorded = here.orrery("record --quiet -o run.orr ./app");
      INFO(recorded.out << recorded.err);
      REQUIRE(recorded.status == 0);
      const CommandResult replayed = here.orrery("replay --quiet --seed 5 run.orr");
      INFO(replayed.out << replayed.err);
      CHECK(replayed.status == 0);
      CHECK(replayed.out == recorded.out);
    }
  }
}
