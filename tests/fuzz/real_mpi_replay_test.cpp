// What real runs of random MPI programs gave, replays of their logs give in simulation.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "golden/recorded_job.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

// Of each number of ranks as many programs, in one job: most of a short one is spent on starting
// it.
constexpr int programs = 200;
constexpr int ranks_min = 2;
constexpr int ranks_max = 8;
constexpr int programs_a_job = programs / (ranks_max - ranks_min + 1) + 1;

/// Lines of different ranks come in any order.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

void build(const WorkingDirectory& here, const std::string& words) {
  const CommandResult built =
      here.shell("'" ORRERY_BINARY "' cc -std=gnu11 -O1 -g " + words + " -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

}  // namespace

TEST_CASE("Random programs, recorded under Debian's Open MPI, replay on any machine") {
  if (!orrery::test::has_open_mpi()) return;
  const WorkingDirectory here;
  build(here, ORRERY_SOURCE_DIR "/tests/programs/random_mpi/*.c");
  for (int ranks = ranks_min; ranks <= ranks_max; ++ranks) {
    const int seed = ranks * 1000;
    const std::string words = "./app --keep-named --programs " + std::to_string(programs_a_job) +
                              " " + std::to_string(seed);
    CAPTURE(ranks, words);
    const CommandResult real =
        orrery::test::record(here, "job.orr", ranks, words, "--inject-delays");
    INFO(real.err);
    REQUIRE(real.status == 0);
    for (const std::string machine :
         {"--seed 71 --window inf", "--seed 72 --platform myrinet-pci64b --window 3us"}) {
      const CommandResult again = here.orrery("replay " + machine + " job.orr");
      INFO(machine << "\n" << again.err);
      CHECK(again.status == 0);
      CHECK(sorted_lines(again.out) == sorted_lines(real.out));
    }
  }
}

TEST_CASE(
    "A real run is written down by another method, with checkpoints, and goes on from there") {
  if (!orrery::test::has_open_mpi()) return;
  const WorkingDirectory here;
  build(here, ORRERY_SOURCE_DIR "/tests/programs/random_mpi/*.c");
  const CommandResult real = orrery::test::record(
      here, "real.orr", 4, "./app --keep-named --programs 2 77", "--inject-delays");
  INFO(real.err);
  REQUIRE(real.status == 0);
  for (const std::string method : {"orders", "racing-messages-tight"}) {
    CAPTURE(method);
    const std::string log = method + ".orr";
    const CommandResult again = here.orrery("replay real.orr --record " + log + " --method " +
                                            method + " --checkpoint-every 16");
    INFO(again.err);
    REQUIRE(again.status == 0);
    const CommandResult elsewhere = here.orrery("replay --seed 5 --window inf " + log);
    INFO(elsewhere.err);
    CHECK(elsewhere.status == 0);
    CHECK(sorted_lines(elsewhere.out) == sorted_lines(real.out));
    const CommandResult part = here.orrery("replay --interval 2:3 " + log);
    INFO(part.err);
    CHECK(part.status == 0);
  }
}

TEST_CASE("What a replay is not written down to is one clear error") {
  const WorkingDirectory here;
  build(here, ORRERY_SOURCE_DIR "/tests/programs/random_mpi/*.c");
  REQUIRE(here.orrery("run -n 2 --record log.orr --method orders ./app --small 1").status == 0);
  for (const auto& [words, problem] : std::vector<std::pair<std::string, std::string>>{
           {"--record log.orr --method orders", "would be lost"},
           {"--record other.orr", "has no order of all steps"},
           {"--record other.orr --method order", "orders"},
           {"--method orders", "without a file to record to"},
           {"--record nowhere/other.orr --method orders", "nowhere"}}) {
    const CommandResult refused = here.orrery("replay log.orr " + words);
    INFO(words << "\n" << refused.err);
    CHECK(refused.status == 2);
    CHECK(orrery::test::has(refused.err, problem));
    CHECK(here.files() == std::vector<std::string>{"app", "log.orr"});
  }
}

TEST_CASE("A real run that polled a million times is replayed to its end") {
  if (!orrery::test::has_open_mpi()) return;
  const WorkingDirectory here;
  here.write("polls.c",
             "#include <mpi.h>\n#include <stdio.h>\n"
             "int main(int argc, char** argv) {\n  int rank, is_there = 0, word = 7, go = 1;\n  "
             "long polls;\n"
             "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
             "  if (rank == 0) {\n    MPI_Request request;\n"
             "    MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);\n"
             "    for (polls = 1; !is_there; ++polls) {\n"
             "      MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);\n"
             "      if (polls == 1500000) MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n    }\n"
             "    printf(\"%ld polls\\n\", polls);\n  } else {\n"
             "    MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
             "    MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n  }\n"
             "  MPI_Finalize();\n  return 0;\n}\n");
  build(here, "polls.c");
  const CommandResult real = orrery::test::record(here, "polls.orr", 2, "./app");
  INFO(real.err);
  REQUIRE(real.status == 0);
  const CommandResult again = here.orrery("replay polls.orr");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(again.out == real.out);
}

namespace {

/// Rank 0 takes the order in which squares come for the order of ranks, by way of `receives`.
std::string faulty(const std::string& receives) {
  return "#include <assert.h>\n#include <mpi.h>\n"
         "int main(int argc, char** argv) {\n  int rank, size;\n  MPI_Init(&argc, &argv);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
         "  if (rank > 0) {\n    int square = rank * rank;\n"
         "    MPI_Send(&square, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n  } else {\n"
         "    int squares[8], done = 0, count, places[8];\n    MPI_Request requests[8];\n"
         "    (void)done, (void)count, (void)places, (void)requests;\n" +
         receives +
         "    for (int i = 1; i < size; ++i) assert(squares[i] == i * i);\n  }\n"
         "  MPI_Finalize();\n  return 0;\n}\n";
}

const std::string by_wildcards =
    "    for (int i = 1; i < size; ++i)\n      MPI_Recv(&squares[i], 1, MPI_INT, MPI_ANY_SOURCE, "
    "0, "
    "MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n";
const std::string by_polls =
    "    for (int i = 1; i < size; ++i)\n      MPI_Irecv(&squares[i], 1, MPI_INT, i, 0, "
    "MPI_COMM_WORLD, &requests[i - 1]);\n    while (done < size - 1) {\n"
    "      MPI_Testsome(size - 1, requests, &count, places, MPI_STATUSES_IGNORE);\n"
    "      for (int i = 0; i < count; ++i) assert(places[i] == done++);\n    }\n";

}  // namespace

TEST_CASE("A fault that some real runs show is caught, replayed and made small") {
  if (!orrery::test::has_open_mpi()) return;
  const std::string receives = GENERATE(by_wildcards, by_polls);
  const WorkingDirectory here;
  here.write("faulty.c", faulty(receives));
  build(here, "faulty.c");
  int status = 0;
  std::string log;
  constexpr int attempts = 60;
  for (int seed = 1; seed <= attempts && status != 1; ++seed) {
    log = "bug" + std::to_string(seed) + ".orr";
    status = orrery::test::record(here, log, 4, "./app",
                                  "--inject-delays --seed " + std::to_string(seed))
                 .status;
  }
  REQUIRE(status == 1);
  for (const std::string& words :
       {"replay " + log, "shrink " + log + " -o small.orr", std::string("replay small.orr")}) {
    const CommandResult result = here.orrery(words);
    INFO(words << "\n" << result.out << result.err);
    CHECK(result.status == 1);
    CHECK(orrery::test::has(result.out + result.err, "assertion failed"));
    CHECK(!orrery::test::has(result.out + result.err, "did not come up again"));
  }
}
