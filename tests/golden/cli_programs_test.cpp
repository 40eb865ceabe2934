// Programs that `orrery cc` built, under the command: found, shrunk, replayed, and when they die.
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& source) {
  build_app(here, source, "-g");
}

constexpr const char* dies = R"(#include <mpi.h>
#include <stdio.h>
static int *nowhere;
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d here\n", rank);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) *nowhere = 7;
  MPI_Finalize();
  return 0;
}
)";

TEST_CASE("A program that dies is reported with its line and its log, and dies again in replay") {
  const WorkingDirectory here;
  build(here, dies);
  const CommandResult result = here.orrery("run -n 2 --record c.orr --timeline ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  CHECK(has(result.out, "rank 1 here"));
  CHECK(has(result.err, "SIGSEGV"));
  CHECK(has(result.err, "app.c:11"));
  CHECK(has(result.err, "if (rank == 1) *nowhere = 7;"));
  CHECK(has(result.err, "sends tag"));
  const json object = json::parse(here.orrery("replay --json c.orr").out);
  CHECK(object["findings"][0]["kind"] == "crash");
  CHECK(object["findings"][0]["where"][0]["line"] == 11);
  CHECK(object["output"].get<std::string>().find("rank 0 here") != std::string::npos);
}

TEST_CASE("A rank that recurses without end is a finding: whose stack it was, its size, the line") {
  const WorkingDirectory here;
  build(here, R"(#include <mpi.h>
static int (*volatile again)(int);
static int descend(int depth) {
  char frame[10000];
  frame[depth % 10000] = (char)depth;
  return again(depth + 1) + frame[0];
}
int main(int argc, char **argv) {
  int rank;
  again = descend;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) descend(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
)");
  for (const std::string flags : {"", "--stack-size 16MiB "}) {
    const CommandResult result = here.orrery("explore --json -n 2 " + flags + "./app");
    INFO(result.out << result.err);
    CHECK(result.status == 1);
    const json found = json::parse(result.out)["findings"].at(0);
    CHECK(found["kind"] == "crash");
    const std::string message = found["message"];
    CHECK(has(message, "stack overflow of rank 1"));
    CHECK(has(message, flags.empty() ? "8192 KiB" : "16384 KiB"));
    CHECK(has(message, "--stack-size"));
    CHECK(found["where"][0]["task"] == "rank 1");
    CHECK(has(found["where"][0]["file"], "app.c"));
    CHECK(found["where"][0]["line"].get<int>() >= 3);
    CHECK(found["where"][0]["line"].get<int>() <= 6);
  }
}

TEST_CASE("The program's flags are its own, and each rank's output can go to a file") {
  const WorkingDirectory here;
  build(here, R"(#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) printf("%s\n", argv[i]);
  return 0;
}
)");
  const CommandResult result = here.orrery("run ./app --seed x -- --json");
  CHECK(result.status == 0);
  CHECK(result.out == "--seed\nx\n--\n--json\n");
  CHECK(here.orrery("run -- ./app a").out == "a\n");
  CHECK(here.orrery("run -n 2 --output-per-rank out ./app b").status == 0);
  CHECK(here.read("out/rank-0.out") == "b\n");
  CHECK(here.read("out/rank-1.out") == "b\n");
}

TEST_CASE(
    "The JSON object of a search has the output of the run with the finding, else of the first") {
  const WorkingDirectory here;
  build(here, R"(#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < 3; ++i) {
    MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("from %d\n", other);
    if (argc > 1 && i == 1 && other == 2) abort();
  }
  MPI_Finalize();
  return 0;
}
)");
  const auto output = [&](const std::string& words) {
    return json::parse(here.orrery(words).out)["output"].get<std::string>();
  };
  const std::string first = output("explore --json -n 3 --runs 20 ./app");
  CHECK((first == "from 1\nfrom 2\n" || first == "from 2\nfrom 1\n"));
  CHECK(output("explore --json -n 3 --runs 20 --jobs 3 ./app") == first);
  CHECK(output("explore --json -n 3 --runs 100 ./app dies") == "from 2\n");
  CHECK(output("explore --json -n 3 --runs 10 --resume ./app") == first);
  CHECK(output("explore --json -n 3 --runs 20 --resume ./app") == first);
}

TEST_CASE("A log is refused for another build, and replayed as far as it fits on demand") {
  const WorkingDirectory here;
  build(here, dies);
  REQUIRE(here.orrery("run -n 2 --record c.orr ./app").status == 1);
  build(here, std::string(dies) + "int another;\n");
  const CommandResult refused = here.orrery("replay c.orr");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "--best-effort"));
  // These have no such flag.
  for (const char* const command : {"shrink", "show --timeline"}) {
    const CommandResult other = here.orrery(std::string(command) + " --program ./app c.orr");
    CHECK(other.status == 2);
    CHECK(has(other.err, "orrery replay --best-effort shows how far it fits"));
  }
  CHECK(here.orrery("replay --best-effort c.orr").status == 1);
  REQUIRE(here.shell("rm app").status == 0);
  const CommandResult gone = here.orrery("replay c.orr");
  CHECK(gone.status == 2);
  CHECK(has(gone.err, "its program is not there any more"));
  CHECK(has(gone.err, "--program"));
}

TEST_CASE("The log of a C++ test is replayed by the test itself") {
  const WorkingDirectory here;
  orrery::ExploreOptions options;
  options.name = "a search of a test";
  options.save_path = (here.path() / "test.orr").string();
  const orrery::Report report =
      orrery::explore(options, [](orrery::World& world) { world.check(false, "it always fails"); });
  CHECK(report.exit_status() == 1);
  if (std::getenv("ORRERY_REPLAY") != nullptr) return;  // started by the command below
  const CommandResult result = here.shell("ORRERY_TIMELINE=1 '" ORRERY_BINARY "' replay test.orr");
  INFO(result.out << result.err);
  CHECK(has(result.out, "it always fails"));
  CHECK(here.orrery("shrink test.orr").status == 2);
  CHECK(here.orrery("replay --json test.orr").status == 2);
}

}  // namespace
