// Large clusters, and what a search pays for its network between two runs.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/platform_file.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"
#include "temporary_directory.hpp"

namespace orrery::bench {
namespace {

constexpr std::uint32_t many_hosts = 10'000;

std::string fat_tree() {
  // Three levels: 500 switches of 20 hosts, 10 ways up from each.
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-9999" speed="1Gf" bw="125MBps" lat="1us"
           topology="FAT_TREE" topo_parameters="3;20,20,25;1,10,10;1,1,1"/>
</platform>
)";
}

/// Every host sends 4 KB to both of its neighbours and receives from both.
Program neighbours_exchange() {
  return [](World& world) {
    world.ranks(many_hosts, [](Communicator& comm) {
      constexpr auto all = static_cast<std::int32_t>(many_hosts);
      const std::int32_t right = (comm.rank() + 1) % all;
      const std::int32_t left = (comm.rank() + all - 1) % all;
      const std::vector<double> words(512);
      comm.send(right, 0, words);
      comm.send(left, 1, words);
      comm.receive<std::vector<double>>(left, 0);
      comm.receive<std::vector<double>>(right, 1);
    });
  };
}

double most_megabytes(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

struct LargeCluster {
  double load_seconds = 0;
  double exchange_seconds = 0;
  double megabytes = 0;  // of this process and of the one that reads the platform
};

LargeCluster measured_here() {
  const TemporaryDirectory directory;
  const std::string file = directory.write("fat_tree.xml", fat_tree());
  LargeCluster cluster;
  {
    const double start = wall_seconds();
    SimulationOptions options = boundless(VirtualDuration::zero());
    options.network = network_factory(file, 0, "bench");
    cluster.load_seconds = wall_seconds() - start;
    TimedRuns runs(options, "random");
    const double begin = wall_seconds();
    runs.run(neighbours_exchange(), 1);
    cluster.exchange_seconds = wall_seconds() - begin;
  }
  cluster.megabytes = most_megabytes(RUSAGE_SELF) + most_megabytes(RUSAGE_CHILDREN);
  return cluster;
}

LargeCluster large_cluster() {
  const std::vector<double> figures = ask_own_program(large_cluster_flag, 3);
  return {figures[0], figures[1], figures[2]};
}

/// What an MPI program does at its start and end, and a little between.
constexpr const char* small_mpi_program = R"(
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, all = 0, from_left = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from_left, 1, MPI_INT,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == size / 2 * (size - 1) && from_left == (rank + size - 1) % size ? 0 : 1;
}
)";

Sample memory_of_mpi_ranks() {
  const double megabytes = ask_own_program(mpi_ranks_flag, 1).at(0);
  return {megabytes, 0, {}};
}

/// All 64 hosts have sent to all others; then the network is reset, as before the next run.
Sample reset_of(const std::string& name) {
  constexpr std::uint32_t hosts = 64;
  constexpr int rounds = 20;
  const auto network = make_network(name + ":64", hosts, "bench");
  std::vector<ArrivalDate> dates;
  double seconds = 0;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t message = 0;
    for (std::uint32_t from = 0; from < hosts; ++from) {
      for (std::uint32_t to = 0; to < hosts; ++to) {
        if (from == to) continue;
        network->start({TransferId{message++}, from, to, 1'000}, VirtualTime::start(), dates);
      }
    }
    // In the middle of it, where there is most to forget.
    network->advance(VirtualTime::start() + std::chrono::microseconds(100), dates);
    dates.clear();
    const double start = cpu_seconds();
    network->reset();
    if (round > 0) seconds += cpu_seconds() - start;
  }
  return {seconds / (rounds - 1) * 1e6, 0, {}};
}

}  // namespace

void print_large_cluster() {
  const LargeCluster cluster = measured_here();
  std::printf("%.9g %.9g %.9g\n", cluster.load_seconds, cluster.exchange_seconds,
              cluster.megabytes);
}

void print_memory_of_mpi_ranks() {
  const TemporaryDirectory directory;
  const std::string source = directory.write("small.c", small_mpi_program);
  const std::string program = directory.path() + "/small";
  run_command(fmt::format("'{}' cc -O2 '{}' -o '{}'", ORRERY_BINARY, source, program));
  rusage before{};
  getrusage(RUSAGE_CHILDREN, &before);
  run_command(
      fmt::format("'{}' run --quiet -n 1024 --platform ethernet-1g '{}'", ORRERY_BINARY, program));
  std::printf("%.9g\n", most_megabytes(RUSAGE_CHILDREN));
}

std::vector<BenchmarkRow> cluster_scale_rows() {
  std::vector<BenchmarkRow> rows = {
      {"10,000 hosts: load a fat tree", "s", "", figure_at_most(5), 1,
       [] {
         return Sample{large_cluster().load_seconds, 0, {}};
       }},
      {"10,000 hosts: neighbours exchange", "s", "", figure_at_most(10), 1,
       [] {
         return Sample{large_cluster().exchange_seconds, 0, {}};
       }},
      {"10,000 hosts: memory", "MB", "", figure_at_most(4096), 1,
       [] {
         return Sample{large_cluster().megabytes, 0, {}};
       }},
      {"memory of 1,024 MPI ranks", "MB", "", figure_at_most(2048), 1, memory_of_mpi_ranks},
  };
  for (const char* const name : {"ethernet-1g", "myrinet-pcixd"}) {
    rows.push_back({fmt::format("reset of {}, 64 hosts", name), "us", "", figure_at_most(50), 3,
                    [name] { return reset_of(name); }});
  }
  return rows;
}

}  // namespace orrery::bench
