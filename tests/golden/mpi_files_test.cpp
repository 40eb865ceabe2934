// MPI_File in programs that `orrery cc` built: on the run's overlay, recorded, and in any order.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Each rank reads its share of `in.dat`, doubles it, and writes it back to front.
constexpr const char* doubles_numbers = R"(#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File in, out;
  if (MPI_File_open(MPI_COMM_WORLD, "in.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &in) != MPI_SUCCESS) {
    if (rank == 0) printf("no input\n");
    MPI_Finalize();
    return 0;
  }
  char digit;
  MPI_File_read_at_all(in, rank, &digit, 1, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&in);
  char text[3];
  snprintf(text, sizeof text, "%02d", 2 * (digit - '0'));
  MPI_File_open(MPI_COMM_WORLD, "out.dat", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &out);
  MPI_Datatype tile;
  MPI_Type_create_resized(MPI_CHAR, 0, size, &tile);
  MPI_Type_commit(&tile);
  MPI_File_set_view(out, size - 1 - rank, MPI_CHAR, tile, "native", MPI_INFO_NULL);
  MPI_Type_free(&tile);
  MPI_Request request;
  MPI_File_iwrite_all(out, text, 2, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_sync(out);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&out);
  if (rank == 0) {
    char whole[20] = "";
    FILE *file = fopen("out.dat", "r");
    if (file == NULL || fgets(whole, sizeof whole, file) == NULL) abort();
    printf("%s\n", whole);
  }
  MPI_Finalize();
  return 0;
}
)";

}  // namespace

TEST_CASE("MPI_File is on the run's overlay, and what it reads is recorded") {
  const WorkingDirectory here;
  build_app(here, doubles_numbers, "-g -O1");
  here.write("in.dat", "1579");
  const auto before = here.files();
  CommandResult result = here.orrery("run --quiet -n 4 --record run.orr ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "11108402\n");
  CHECK(here.read("in.dat") == "1579");
  CHECK_FALSE(std::filesystem::exists(here.path() / "out.dat"));
  CHECK(here.orrery("explore --runs 50 --check-determinism -n 4 ./app").status == 0);
  here.write("in.dat", "4444");
  result = here.orrery("replay --quiet run.orr");
  CHECK(result.out == "11108402\n");
  result = here.orrery("run --quiet -n 4 --keep-files kept ./app");
  CHECK(result.out == "00008888\n");
  CHECK(here.read("kept/out.dat") == "00008888");
  std::filesystem::remove(here.path() / "in.dat");
  CHECK(here.orrery("run --quiet -n 4 ./app").out == "no input\n");
  CHECK(here.orrery("replay --quiet run.orr").out == "11108402\n");
}

TEST_CASE("In which order ranks use the shared file pointer is searched") {
  const WorkingDirectory here;
  build_app(here, R"(#include <assert.h>
#include <mpi.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "log", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  char letter = 'a' + rank;
  MPI_File_write_shared(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 0, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE);
  assert(letter == 'a');
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
)",
            "-g -O1");
  CHECK(here.orrery("run --quiet -n 2 ./app").status == 0);
  const CommandResult found = here.orrery("explore --runs 200 -n 2 -o found.orr ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK(has(found.out, "letter == 'a'"));
  CHECK(here.orrery("replay found.orr").status == 1);
}
