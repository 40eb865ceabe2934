// `--map` and `--hostfile`, as a user meets them.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* program = R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank = 0, length = 0, all = 0;
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(name, &length);
  for (int turn = 0; turn < 4; ++turn) {
    if (turn == rank) { printf("%s ", name); fflush(stdout); }
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
)";

TEST_CASE("Ranks run on the hosts that --map or --hostfile names, and a replay's do too") {
  const WorkingDirectory here;
  here.write("app.c", program);
  here.write("hosts.txt", "# two of three\nhost-2\nhost-0 slots=3\n");
  REQUIRE(here.orrery("cc -o app app.c").status == 0);
  const std::string run = "run -n 4 --platform ethernet-1g:3 ";

  const auto plain = here.orrery(run + "./app");
  CHECK(plain.out == "host-0 host-1 host-2 host-0 ");
  CHECK(has(plain.err, "4 ranks share 3 hosts: up to 2 on one\n"));
  CHECK(here.orrery(run + "--map block ./app").out == "host-0 host-0 host-1 host-1 ");
  CHECK(here.orrery(run + "--map host-1*3,0 ./app").out == "host-1 host-1 host-1 host-0 ");
  CHECK(here.orrery(run + "--hostfile hosts.txt --record a.orr ./app").out ==
        "host-2 host-0 host-0 host-0 ");

  const json object = json::parse(here.orrery("replay --json a.orr").out);
  CHECK(object["output"] == "host-2 host-0 host-0 host-0 ");
  CHECK(object["stats"]["placement"] == json{{"ranks", 4}, {"hosts", 2}, {"most_on_a_host", 3}});
  // The names that the program is shown are inputs, and stay.
  const json elsewhere =
      json::parse(here.orrery("replay --json --platform ethernet-1g:4 a.orr").out);
  CHECK(elsewhere["output"] == "host-2 host-0 host-0 host-0 ");
  CHECK(elsewhere["stats"]["placement"] == json{{"ranks", 4}, {"hosts", 4}, {"most_on_a_host", 1}});
  const json mapped = json::parse(here.orrery("replay --json --map 1,1,2,2 a.orr").out);
  CHECK(mapped["output"] == "host-2 host-0 host-0 host-0 ");
  CHECK(mapped["stats"]["placement"] == json{{"ranks", 4}, {"hosts", 2}, {"most_on_a_host", 2}});

  const auto short_list = here.orrery(run + "--map 0,1 ./app");
  CHECK(short_list.status == 2);
  CHECK(has(short_list.err, "--map: there are places for 2 of 4 ranks\nhint: "));
  CHECK(has(here.orrery("explore --runs 2 -n 4 --platform ethernet-1g:3 ./app").err,
            "4 ranks share 3 hosts"));
}

}  // namespace
