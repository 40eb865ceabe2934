// What no part of a run can be replayed with ends a recording of parts where it is done, and leaves
// nothing behind; what an interval lacks is told.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// A window after some messages; the mended twin sends instead.
constexpr const char* window = R"(#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, value = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  printf("before\n");
#ifndef MENDED
  int* memory;
  MPI_Win win;
  MPI_Win_allocate_shared(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  printf("after\n");
  MPI_Win_free(&win);
#else
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
  MPI_Finalize();
  return 0;
}
)";

/// Rank 0 writes a file, then rank 1 reads it: by MPI, or by the C library.
constexpr const char* file = R"(#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int rank, got;
static void write_value(int value) {
#ifdef BY_MPI
  MPI_File f;
  MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
  MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&f);
#else
  FILE* f = fopen("data", "w");
  fwrite(&value, sizeof value, 1, f);
  fclose(f);
#endif
}
static void read_value(void) {
#ifdef BY_MPI
  MPI_File f;
  MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  MPI_File_read_at(f, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&f);
#else
  FILE* f = fopen("data", "r");
  if (fread(&got, sizeof got, 1, f) != 1) got = -1;
  fclose(f);
#endif
}
int main(int argc, char** argv) {
  const int reader = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const here = getenv("PWD") ? realpath(".", NULL) : NULL;
  free(here);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i <= 12; ++i) {
    if (rank == 0 && i % 4 == 1) write_value(i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == reader) read_value();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: %d\n", rank, got);
  MPI_Finalize();
  return 0;
}
)";

void check_nothing_left(const WorkingDirectory& here) {
  for (const char* name : {"a.orr", "a.orr.part", "a.orr.images"}) {
    INFO(name);
    CHECK_FALSE(std::filesystem::exists(here.path() / name));
  }
}

constexpr const char* with_images = "--method wildcards --checkpoint-every 4";
constexpr const char* alone = "--method contents";

CommandResult record(const WorkingDirectory& here, const std::string& flags) {
  return here.orrery("run --json -n 2 --record a.orr " + flags);
}

}  // namespace

TEST_CASE("A window is refused when it is made, with its place, and nothing stays") {
  const WorkingDirectory here;
  build_app(here, window, "-g");
  for (const char* method : {with_images, alone}) {
    const CommandResult run = record(here, std::string(method) + " ./app");
    INFO(run.out);
    CHECK(run.status == 2);
    const json error = json::parse(run.out).at("error");
    const auto what = error.at("what").get<std::string>();
    CHECK(has(what, "makes a window (one-sided communication) at "));
    CHECK(has(what, ":12 in main"));
    CHECK(error.at("where") == (method == alone ? "--method" : "--checkpoint-every"));
    CHECK_FALSE(has(run.out, "after"));
    check_nothing_left(here);
  }
  build_app(here, window, "-g -DMENDED");
  for (const char* method : {with_images, alone}) {
    CHECK(record(here, std::string(method) + " ./app").status == 0);
  }
}

TEST_CASE("A file by which ranks tell each other something is refused where that is seen") {
  for (const char* flags : {"", "-DBY_MPI"}) {
    const WorkingDirectory here;
    build_app(here, file, flags);
    for (const char* method : {with_images, alone}) {
      const CommandResult run = record(here, std::string(method) + " ./app");
      INFO(flags << " " << method << "\n" << run.out);
      CHECK(run.status == 2);
      const auto what = json::parse(run.out).at("error").at("what").get<std::string>();
      CHECK(has(what, "rank 1 uses "));
      CHECK(has(what, "/data, which rank 0 has made or changed"));
      check_nothing_left(here);
    }
  }
}

TEST_CASE(
    "A rank's own file is what it was where it goes alone, and told where an image lacks it") {
  for (const char* flags : {"", "-DBY_MPI"}) {
    const WorkingDirectory here;
    build_app(here, file, flags);
    REQUIRE(record(here, std::string(alone) + " ./app 0").status == 0);
    const CommandResult rank = here.orrery("replay a.orr --json --rank 0");
    INFO(flags << "\n" << rank.out);
    CHECK(rank.status == 0);
    CHECK(has(rank.out, "rank 0: 9"));

    REQUIRE(record(here, std::string(with_images) + " ./app 0").status == 0);
    const CommandResult first = here.orrery("replay a.orr --json --interval 0:0");
    INFO(first.out);
    CHECK(first.status == 0);  // begins before the file does
    const int total = json::parse(first.out).at("stats").at("intervals_total").get<int>();
    int refused = 0;
    for (int number = 1; number < total / 2; ++number) {
      const CommandResult one =
          here.orrery("replay a.orr --json --interval 0:" + std::to_string(number));
      INFO(number << " " << one.out);
      if (one.status == 0) continue;
      CHECK(one.status == 1);
      CHECK(has(one.out, "which it had written before the interval"));
      ++refused;
    }
    CHECK(refused > 3);
  }
}
#endif
