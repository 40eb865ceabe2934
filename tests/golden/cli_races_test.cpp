// `show --races`: which messages could have come the other way round, and the mended twin.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Each other rank sends to rank 0, which takes what comes, or names the sender; the last one is
/// killed by its own mistake if it is told to be.
const std::string gathering = R"(#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; rank == 0 && i < size; ++i) {
    const int from = atoi(argv[1]) ? MPI_ANY_SOURCE : i;
    MPI_Recv(&got, 1, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && rank == 1) abort();
  MPI_Finalize();
  return 0;
}
)";

/// What the log has, as JSON.
json races_of(const WorkingDirectory& here, const std::string& log) {
  const CommandResult shown = here.orrery("show --json --races " + log);
  INFO(shown.out << shown.err);
  REQUIRE(shown.status == 0);
  return json::parse(shown.out).at("stats").at("races");
}

}  // namespace

TEST_CASE("Races are listed with the receive and both sends, and the mended twin has none") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record racing.orr ./app 1").status == 0);
  REQUIRE(here.orrery("run -n 3 --record mended.orr ./app 0").status == 0);
  const json races = races_of(here, "racing.orr");
  REQUIRE(races.size() == 1);
  const json& race = races.at(0);
  CHECK(race.at("number") == 1);
  CHECK(race.at("receive").at("task") == "rank 0");
  CHECK(race.at("receive").at("call") == "MPI_Recv");
  CHECK(race.at("receive").at("line") == 10);
  CHECK(race.at("got").at("line") == 12);
  CHECK(race.at("other").at("call") == "MPI_Send");
  CHECK(race.at("other").at("tag") == 4);
  const int got = race.at("got").at("source");
  const int other = race.at("other").at("source");
  CHECK(got + other == 3);

  const std::string text = here.orrery("show --races racing.orr").out;
  const std::string line =
      "   1  rank 0 (MPI_Recv, app.c:10) got the message of rank " + std::to_string(got) +
      " (MPI_Send, app.c:12), tag 4; could have got that of rank " + std::to_string(other) +
      " (MPI_Send, app.c:12), tag 4\n      " + race.at("bend").get<std::string>() + "\n";
  INFO(text);
  CHECK(has(text, "\n1 race\n" + line));
  CHECK(races_of(here, "mended.orr").empty());
  CHECK(has(here.orrery("show --races mended.orr").out, "\n0 races\n"));
}

TEST_CASE("A race has the same number in the log of each method, and on each platform") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 5 --record choices.orr ./app 1").status == 0);
  const json races = races_of(here, "choices.orr");
  CHECK(races.size() == 3 + 2 + 1);
  for (const char* const method : {"orders", "wildcards", "racing-messages-tight"}) {
    INFO(method);
    REQUIRE(here.orrery(std::string("replay choices.orr --platform ethernet-1g --record ") +
                        "other.orr --method " + method)
                .status == 0);
    CHECK(races_of(here, "other.orr") == races);
    REQUIRE(here.shell("rm other.orr").status == 0);
  }
}

TEST_CASE("Races of a run that died are listed") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record died.orr ./app 1 die").status == 1);
  const CommandResult shown = here.orrery("show --races died.orr");
  INFO(shown.out << shown.err);
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "\n1 race\n"));
}
