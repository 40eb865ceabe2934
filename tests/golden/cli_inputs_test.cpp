// What a program takes in from outside is in its log: a replay elsewhere, where all of it is
// different, shows it the same.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

}  // namespace

TEST_CASE("A replay elsewhere shows a program all that it took in when it was recorded") {
  const WorkingDirectory here;
  build_app(here, R"(
#include <fcntl.h>
#include <mpi.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, length;
  char name[MPI_MAX_PROCESSOR_NAME], host[256];
  unsigned words[2];
  std::string file, line;
  utsname system;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(name, &length);
  gethostname(host, sizeof host);
  uname(&system);
  int device = open("/dev/urandom", O_RDONLY);
  if (getrandom(&words[0], 4, 0) != 4 || read(device, &words[1], 4) != 4) return 1;
  std::random_device random;
  std::srand(static_cast<unsigned>(std::time(nullptr)) + getpid());
  std::getline(std::ifstream("data.txt"), file);
  std::getline(std::cin, line);
  const char *colour = std::getenv("COLOUR");
  const char *shape = std::getenv("SHAPE");
  std::printf("%d %s %s %s\n", rank, name, host, system.nodename);
  std::printf("%d %u %u %u %d\n", rank, words[0], words[1], random(), std::rand());
  std::printf("%d %d %d %ld %u\n", rank, getpid(), getppid(), sysconf(_SC_NPROCESSORS_ONLN),
              std::thread::hardware_concurrency());
  std::printf("%d %s %s %s %s\n", rank, file.c_str(), line.c_str(), colour ? colour : "unset",
              shape ? shape : "unset");
  MPI_Finalize();
}
)",
            "-O1", "cpp");
  here.write("data.txt", "then\n");
  const std::string command = "'" ORRERY_BINARY "' ";
  const CommandResult run = here.shell("echo said | COLOUR=red " + command +
                                       "run -n 3 --seed 7 --window inf --platform myrinet-pcixd "
                                       "--record run.orr ./app");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "0 then said red unset\n"));
  std::filesystem::remove(here.path() / "data.txt");
  for (const std::string machine : {"--platform ethernet-1g", "--seed 3 --window 0",
                                    "--platform myrinet-pci64b --window inf"}) {
    const CommandResult again = here.shell("echo else | COLOUR=blue SHAPE=round " + command +
                                           "replay " + machine + " run.orr");
    CAPTURE(machine, again.err);
    CHECK(again.status == 0);
    CHECK(again.out == run.out);
  }
}
