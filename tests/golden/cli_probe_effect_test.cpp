// `orrery run --probe-effect`: what recorders change, as a user sees it, and all that is refused.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using Json = nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 answers who comes first; the others think for a while that differs.
constexpr const char* farm = R"(#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size, value, flag;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status);
  for (int i = 0; rank == 0 && i < 50 * (size - 1); ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
  for (int i = 0; rank > 0 && i < 50; ++i) {
    usleep(5 + (unsigned)(rank * 7 + i * 13) % 11);
    MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
)";

const std::string cards = "run -n 6 --platform myrinet-pcixd ";

Json effects(const WorkingDirectory& here, const std::string& words) {
  const CommandResult result = here.orrery(cards + "--json " + words + " ./app");
  INFO(result.err);
  REQUIRE(result.status == 0);
  const Json report = Json::parse(result.out);
  CHECK(report.at("output") == "done\n");
  return report.at("stats").at("probe_effect");
}

}  // namespace

TEST_CASE("What recorders on hosts, cards and in switches change is told of each") {
  const WorkingDirectory here;
  build_app(here, farm, "-g");
  const Json all = effects(here, "--probe-effect='host:receive=3us nic switch'");
  REQUIRE(all.size() == 3);
  const Json& host = all[0];
  CHECK(host.at("recorder") == "host:receive=3us");
  CHECK(host.at("messages") == 500);
  CHECK(host.at("receives") == 500);
  CHECK(host.at("host_records") == 250);  // what names no sender
  CHECK(host.at("host_cpu_added_ps").get<std::int64_t>() >= 250 * 3'000'000LL);
  CHECK(host.at("virtual_time_added_ps") > 0);
  CHECK(host.at("nic_cycles_added") == 0);
  CHECK(host.at("messages_reordered") > 0);
  CHECK(host.at("first_moved").at("task") == "rank 0");
  const Json& nic = all[1];
  CHECK(nic.at("nic_cycles_added") == 500 * 30 + 6 * 100);
  CHECK(nic.at("port_cycles_added") == 0);
  CHECK(nic.at("host_cpu_added_ps") == 6 * 5'000'000);  // a flush of each card at the end
  CHECK(nic.at("first_moved").at("kind") == "deliver");
  const Json& at_switch = all[2];
  CHECK(at_switch.at("nic_cycles_added") == 0);
  CHECK(at_switch.at("port_cycles_added") == 500 * 30 + 6 * 100);
  CHECK(at_switch.at("host_cpu_added_ps") == 0);

  const CommandResult text = here.orrery(cards + "--probe-effect ./app");
  CHECK(text.status == 0);
  CHECK(text.out == "done\n");
  for (const char* const part :
       {"host", "nic", "switch", "of 500", "first event that moved", "app.c:"}) {
    CAPTURE(part);
    CHECK(has(text.err, part));
  }
  CHECK(here.orrery(cards + "--probe-effect ./app").err == text.err);
}

TEST_CASE("Recorders that cost nothing change nothing, under any seed and window") {
  const WorkingDirectory here;
  build_app(here, farm, "-g");
  for (const char* const machine :
       {"--seed 1", "--seed 2 --window 3us", "--seed 3 --map 0,0,1,2,2,3"}) {
    CAPTURE(machine);
    // Ranks of one host have what they send each other go round by the card or the switch.
    const bool is_one_each = !has(machine, "--map");
    const Json all =
        effects(here, std::string(machine) +
                          " --probe-effect='host:receive=0ns,file=0ns,file_record=0ns "
                          "nic:cycles=0,flush_cycles=0 switch:cycles=0,flush_cycles=0'");
    for (const Json& one : all) {
      CAPTURE(one.dump());
      if (one.at("recorder").get<std::string>().starts_with("host") || is_one_each) {
        CHECK(one.at("virtual_time_added_ps") == 0);
        CHECK(one.at("messages_reordered") == 0);
        CHECK(one.at("receives_changed") == 0);
        CHECK_FALSE(one.contains("first_moved"));
      } else {
        CHECK(one.contains("first_moved"));
      }
      CHECK(one.at("port_cycles_added") == 0);
      CHECK(one.at("nic_cycles_added") == 0);
    }
  }
}

TEST_CASE(
    "Costs and buffers of recorders can be given, and a log that could not be replayed is told") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  const Json all = effects(here, "--probe-effect='host:keeps=orders nic:buffer=16 nic:cycles=300'");
  CHECK(all[0].at("host_records") == 500);
  CHECK(all[1].at("host_cpu_added_ps") > 100 * 5'000'000LL);  // so many flushes
  CHECK(all[2].at("nic_cycles_added") == 500 * 300 + 6 * 100);
  const CommandResult polls = here.orrery(cards + "--probe-effect ./app polls");
  CHECK(polls.status == 0);
  CHECK(has(polls.err, "nic: its log could not be replayed: rank 0 polls"));
  CHECK(has(polls.err, "no switch sees"));
}

TEST_CASE("A comparison of recorders that cannot be is refused by one clear error") {
  const WorkingDirectory here;
  build_app(here, farm, "");
  here.write("empty.c", "int main(void) { return 0; }\n");
  const auto refused = [&](const std::string& words, const std::string& what) {
    const CommandResult result = here.orrery("run -n 2 " + words + " ./app");
    CAPTURE(words, result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(has(result.err, what));
  };
  const std::string on_cards = "--platform myrinet-pcixd ";
  refused("--probe-effect", "--probe-effect nic: the network has no cards");
  refused("--probe-effect=switch --platform constant", "the network has no switches");
  refused(on_cards + "--probe-effect=' '", "there is no recorder to compare with none");
  refused(on_cards + "--probe-effect=nick", "there is no recorder 'nick'");
  refused(on_cards + "--probe-effect=wildcards", "is not known");
  refused(on_cards + "--probe-effect=nic+polls", "is not known");
  refused(on_cards + "--probe-effect=host:receive=fast", "receive");
  refused(on_cards + "--probe-effect=host:keeps=some", "neither wildcards nor orders");
  refused(on_cards + "--probe-effect=nic:buffer=0", "a buffer of 0 bytes is too small");
  refused(on_cards + "--probe-effect=switch:buffer=1MiB", "a port of a switch has 131072 bytes");
  refused(on_cards + "--probe-effect --record a.orr", "together with --probe-effect");
  refused(on_cards + "--probe-effect --detect fasttrack", "together with --probe-effect");
  refused(on_cards + "--probe-effect --until 1us", "together with --probe-effect");
  refused(on_cards + "--probe-effect --check-determinism", "together with --probe-effect");
  refused(on_cards + "--probe-effect --compute measured", "differs from run to run");
  CHECK(here.orrery("run -n 2 --probe-effect=host ./app").status == 0);
}

TEST_CASE("A run that dies is told of each recorder, and what it was without one") {
  const WorkingDirectory here;
  build_app(here,
            "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char** v) {\n"
            "  MPI_Init(&c, &v);\n  abort();\n}\n",
            "");
  const CommandResult result = here.orrery(cards + "--probe-effect ./app");
  CHECK(result.status == 1);
  CHECK(has(result.err, "abort() was called"));
}
