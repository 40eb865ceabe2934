// `orrery run --method nic` and `switch`: recorded by the cards or by the switches, as a user does,
// and all that is refused.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 says in what order it has got what the others sent; with an argument it polls first.
constexpr const char* farm = R"(#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, value, flag = 0;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    if (argc > 1) {
      while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    }
    for (int i = 0; i < 20 * (size - 1); ++i) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      printf("%d/%d ", status.MPI_SOURCE, value);
    }
    printf("\n");
  } else {
    for (int i = 0; i < 20; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 3, MPI_COMM_WORLD);
  }
  MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
)";

/// Rank 0 dies while the others still have much to tell each other.
constexpr const char* dying = R"(#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, value;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 30 && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  }
  if (rank == 0) abort();
  for (int i = 0; i < 300; ++i) {
    for (int to = 0; to < 4 && rank == 1; ++to) {
      if (to != 1) MPI_Send(&i, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    }
    if (rank == 1) continue;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (status.MPI_SOURCE == 1) MPI_Send(&i, 1, MPI_INT, 5 - rank, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
)";

}  // namespace

TEST_CASE("A run that died on the cards dies again elsewhere, however far the others got") {
  const WorkingDirectory here;
  build_app(here, dying, "");
  CHECK(here.orrery("run -n 4 --platform myrinet-pcixd --record a.orr --method nic ./app").status ==
        1);
  for (const char* const elsewhere : {"--platform constant", "--window inf --seed 5"}) {
    CAPTURE(elsewhere);
    const CommandResult replay = here.orrery("replay " + std::string(elsewhere) + " a.orr");
    CHECK(replay.status == 1);
    CHECK(has(replay.err, "crash: abort() was called"));
  }
}

TEST_CASE("A program that the cards or switches have recorded is replayed anywhere") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  const std::string on_cards = "run -n 4 --platform myrinet-pcixd --record a.orr --method ";
  for (const std::string method : {"nic", "nic:buffer=32,compress=yes", "nic+polls:buffer=40",
                                   "switch", "switch+polls:buffer=32,compress=yes"}) {
    CAPTURE(method);
    const CommandResult run = here.orrery(on_cards + method + " --stats ./app");
    CHECK(run.status == 0);
    CHECK(has(run.err, has(method, "nic") ? "card_records 60" : "port_records 60"));
    CHECK(has(run.err, "code on card or port"));
    CHECK(has(here.orrery("show a.orr").out, method.substr(0, method.find(':'))));
    for (const char* const elsewhere :
         {"", "--platform myrinet-pci64b:2", "--window inf --seed 7", "--platform constant"}) {
      CAPTURE(elsewhere);
      const CommandResult replay = here.orrery("replay " + std::string(elsewhere) + " a.orr");
      CHECK(replay.status == 0);
      CHECK(replay.out == run.out);
    }
    // By another method, and back.
    CHECK(here.orrery("replay a.orr --record b.orr --method wildcards").status == 0);
    CHECK(here.orrery("replay b.orr").out == run.out);
    CHECK(here.orrery("replay b.orr --record c.orr --method nic+polls").status == 0);
    CHECK(here.orrery("replay c.orr --platform constant").out == run.out);
  }
}

TEST_CASE("What no card sees is refused with status 2, and taken by nic+polls") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  const std::string on_cards = "run -n 3 --platform myrinet-pcixd --record a.orr --method ";
  const CommandResult refused = here.orrery(on_cards + "nic ./app polls");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "rank 0 polls"));
  CHECK(has(refused.err, "use the method 'nic+polls'"));
  CHECK_FALSE(has(here.shell("ls").out, "a.orr"));
  const CommandResult by_switch = here.orrery(on_cards + "switch ./app polls");
  CHECK(by_switch.status == 2);
  CHECK(has(by_switch.err, "no switch sees"));
  CHECK(has(by_switch.err, "use the method 'switch+polls'"));
  const CommandResult run = here.orrery(on_cards + "nic+polls ./app polls");
  CHECK(run.status == 0);
  const CommandResult replay = here.orrery("replay --platform constant --seed 3 a.orr");
  CHECK(replay.status == 0);
  CHECK(replay.out == run.out);
}

TEST_CASE("A recorder on cards that cannot be is refused by one clear error") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  const auto refused = [&](const std::string& words, const std::string& what) {
    const CommandResult result = here.orrery("run -n 2 " + words + " ./app");
    CAPTURE(words, result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(has(result.err, what));
  };
  const std::string cards = "--platform myrinet-pcixd --record a.orr ";
  refused("--record a.orr --method nic", "the network has no cards");
  refused("--platform constant --record a.orr --method nic+polls", "the network has no cards");
  refused(cards + "--method nic:buffer=2MiB", "1490944 are left");
  refused("--record a.orr --method switch", "the network has no switches");
  refused(cards + "--method switch:buffer=128KiB", "a port of a switch has 131072 bytes");
  refused("--platform myrinet-pcixd:port_memory=1KiB --record a.orr --method switch",
          "a port of a switch has 1024 bytes");
  refused(cards + "--method switch:buffer=0", "a buffer of 0 bytes is too small");
  refused(cards + "--method switch:buffer=8", "a record, which takes up to 16");
  refused("--platform myrinet-pcixd:sram=600KiB --record a.orr --method nic", "8192 are left");
  refused(cards + "--method nic:buffer=0", "a buffer of 0 bytes is too small");
  refused(cards + "--method nic:buffer=8", "a record, which takes up to 16");
  refused(cards + "--method nic:buffer=x", "'x' is not a size");
  refused(cards + "--method nic:compress=2", "neither yes nor no");
  refused(cards + "--method nic:bufer=1KiB", "did you mean 'buffer'");
  refused(cards + "--method nic --checkpoint-every 8", "--checkpoint-every");
  refused(cards + "--method nic --check-determinism", "--check-determinism");
  refused(cards + "--method nic --faults drop", "does not keep when faults strike");
  refused("--platform myrinet-pcixd --method nic", "add --record FILE");
  CHECK(here.orrery("run --platform myrinet-pcixd:2 --record a.orr --method nic lost_update")
            .status == 2);
  here.write("cards.xml",
             "<?xml version='1.0'?>\n"
             "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" "
             "radical=\"0-1\" speed=\"1Gf\" bw=\"250MBps\" lat=\"75ns\">"
             "<prop id=\"nic\" value=\"myrinet-pcixd\"/></cluster></platform>\n");
  refused("--platform cards.xml --record a.orr --method switch",
          "no switches that code could run on");
  CHECK(here.orrery("run -n 2 --platform cards.xml --record a.orr --method nic ./app").status == 0);
}

TEST_CASE(
    "A buffer of one record is enough, on cards and at ports, however busy bus and host are") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  // A bus and a monitor that take longer for a record than messages to come.
  const std::string slow =
      "run -n 6 --platform myrinet-pcixd:bus_write=1MB/s,monitor=100kB/s,host_interrupt=50us "
      "--record a.orr --stats --method ";
  for (const char* const method : {"nic:buffer=16", "switch:buffer=16"}) {
    CAPTURE(method);
    const CommandResult run = here.orrery(slow + method + " ./app");
    CHECK(run.status == 0);
    const CommandResult replay = here.orrery("replay --platform constant --seed 4 a.orr");
    CHECK(replay.status == 0);
    CHECK(replay.out == run.out);
  }
}

TEST_CASE("A program without messages is none for the cards") {
  const WorkingDirectory here;
  build_app(here, "int main(void) { return 0; }\n", "");
  const CommandResult result =
      here.orrery("run --platform myrinet-pcixd:2 --record a.orr --method nic ./app");
  CHECK(result.status == 2);
  CHECK(has(result.err, "passes no messages"));
}
