// `--expect-output FILE`: what a program writes is judged, in every command that runs it.
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

// Whose message rank 0 takes first is open: by chance it writes the wrong order.
constexpr const char* first_come = R"(#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, size, i, value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fprintf(stderr, "this does not count\n");
  if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (i = 0; rank == 0 && i + 1 < size; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("from %d\n", value);
  }
  MPI_Finalize();
  return 0;
}
)";

void build(const WorkingDirectory& here) {
  build_app(here, first_come, "-g");
}

TEST_CASE("Another output than the expected one is found, replayed and made small") {
  const WorkingDirectory here;
  build(here);
  here.write("expected", "from 1\nfrom 2\n");
  const CommandResult found =
      here.orrery("explore -n 3 --runs 200 --no-shrink --expect-output expected -o w.orr ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  const std::string message = "line 1 of the output is 'from 2', and should be 'from 1'";
  CHECK(has(found.out, "property: " + message));
  // The log knows what was expected, though the file is gone.
  REQUIRE(here.shell("rm expected").status == 0);
  const json object = json::parse(here.orrery("replay --json w.orr").out);
  CHECK(object["findings"][0]["kind"] == "property");
  CHECK(object["findings"][0]["message"] == message);
  CHECK(here.orrery("shrink -o small.orr w.orr").status == 1);
  CHECK(has(here.orrery("replay small.orr").err, message));
}

TEST_CASE("Lines too few and too many are told, and the end of the last one counts") {
  const WorkingDirectory here;
  build(here);
  const auto told = [&](const std::string& expected) {
    here.write("expected", expected);
    const CommandResult result = here.orrery("run -n 2 --expect-output expected ./app");
    CHECK(result.status == 1);
    return result.err;
  };
  CHECK(has(told("from 1\nfrom 2\n"), "line 2 of the output is missing: it should be 'from 2'"));
  CHECK(has(told("from 1"), "the end of its last line"));
  here.write("expected", "from 1\n");
  CHECK(here.orrery("run -n 2 --expect-output expected ./app").status == 0);
  CHECK(has(told(""), "line 1 of the output is too much: it is 'from 1'"));
}

TEST_CASE("A file that is not there, or is a directory, is the caller's mistake") {
  const WorkingDirectory here;
  build(here);
  for (const std::string file : {"nowhere", "."}) {
    const CommandResult result = here.orrery("run --expect-output " + file + " ./app");
    CHECK(result.status == 2);
    CHECK(has(result.err, "--expect-output: cannot be read: " + file));
  }
}

}  // namespace
