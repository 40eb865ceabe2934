// The generated programs of scenarios/programs/mpi_usage: that they are enough, and that some of
// each class are found, in their class, and their twins are clean.  `./dev bench mpi-usage` does
// all.
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

struct Pair {
  std::string name;
  std::string ranks;
};

/// Writes the sources into `here`; the pairs by class.
std::map<std::string, std::vector<Pair>> generate(const WorkingDirectory& here) {
  const CommandResult made =
      here.shell("'" ORRERY_SOURCE_DIR "/scenarios/programs/mpi_usage/generate.sh' .");
  INFO(made.err);
  REQUIRE(made.status == 0);
  std::map<std::string, std::vector<Pair>> pairs;
  std::istringstream lines(here.read("programs.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string class_name;
    Pair pair;
    std::getline(words, class_name, '|');
    std::getline(words, pair.name, '|');
    std::getline(words, pair.ranks, '|');
    pairs[class_name].push_back(pair);
  }
  return pairs;
}

std::string with_underscores(std::string text) {
  for (char& c : text) c = c == ' ' ? '_' : c;
  return text;
}

/// Those of which two pairs are looked at here.
constexpr std::array classes{"invalid communicator", "invalid request",
                             "invalid window",       "use after free",
                             "double free",          "leak",
                             "missing wait",         "outside init and finalize",
                             "thread level",         "buffer in use",
                             "overlapping buffers",  "epoch",
                             "conflicting accesses"};

}  // namespace

TEST_CASE("There are at least 300 wrong MPI programs and twins, four pairs a class at least") {
  const WorkingDirectory here;
  std::size_t programs = 0;
  for (const auto& [class_name, pairs] : generate(here)) {
    CAPTURE(class_name);
    CHECK(pairs.size() >= 4);
    programs += 2 * pairs.size();
  }
  CHECK(programs >= 300);
}

TEST_CASE("Wrong MPI programs are found and put in their class, and their twins are clean") {
  const WorkingDirectory here;
  const auto pairs = generate(here);
  for (const std::string class_name : classes) {
    const std::string file = with_underscores(class_name);
    REQUIRE(here.orrery("cc -g -pthread " + file + ".c -o " + file).status == 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const Pair& pair = pairs.at(class_name).at(i);
      CAPTURE(class_name, pair.name);
      const std::string search =
          "explore --json --no-shrink --runs 100 -n " + pair.ranks + " ./" + file + " " + pair.name;
      const CommandResult buggy = here.orrery(search + "_buggy");
      INFO(buggy.out << buggy.err);
      REQUIRE(buggy.status == 1);
      const json found = json::parse(buggy.out)["findings"].at(0);
      CHECK(found["kind"] == "mpi_usage");
      CHECK(found["class"] == class_name);
      const CommandResult mended = here.orrery(search + "_mended");
      INFO(mended.out << mended.err);
      CHECK(mended.status == 0);
    }
  }
}
