// Unchanged MPI programs on a described cluster, beside SMPI: the same source, the same platform.
#include <fmt/format.h>
#include <unistd.h>

#include "benchmark_row.hpp"
#include "measuring.hpp"
#include "temporary_directory.hpp"

namespace orrery::bench {
namespace {

/// Does one thing as many times as its argument says.
std::string program_text(const char* loop) {
  return fmt::format(R"(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double mine = rank, all = 0;
  const int count = atoi(argv[1]);
  for (int i = 0; i < count; ++i) {{
    {}
  }}
  MPI_Finalize();
  return all < 0;
}}
)",
                     loop);
}

constexpr const char* ping_pong = R"(
    if ((i % 2 == 0) == (rank == 0)) {
      MPI_Send(&mine, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&all, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    })";
constexpr const char* barrier = "MPI_Barrier(MPI_COMM_WORLD);";
constexpr const char* allreduce =
    "MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);";

std::string cluster(int hosts) {
  return fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{}" speed="1Gf" bw="125MBps" lat="25us"/>
</platform>
)",
                     hosts - 1);
}

std::string host_file(int hosts) {
  std::string lines;
  for (int i = 0; i < hosts; ++i) lines += fmt::format("node-{}\n", i);
  return lines;
}

/// The rate of the loop alone, from runs of two lengths, so that starting is not counted.
double passes_a_second(const std::string& command, int count) {
  const auto seconds = [&command](int passes) {
    const double start = cpu_seconds();
    run_command(fmt::format("{} {}", command, passes));
    return cpu_seconds() - start;
  };
  return count / (seconds(2 * count) - seconds(count));
}

Sample beside_smpi(const char* loop, int ranks, int count) {
  const TemporaryDirectory directory;
  const std::string& path = directory.path();
  const std::string source = directory.write("program.c", program_text(loop));
  const std::string platform = directory.write("cluster.xml", cluster(ranks));
  const std::string hosts = directory.write("hosts", host_file(ranks));
  run_command(fmt::format("'{}' cc -O2 '{}' -o '{}/ours'", ORRERY_BINARY, source, path));
  run_command(fmt::format("cd '{}' && smpicc -O2 '{}' -o theirs", path, source));
  const double ours = passes_a_second(
      fmt::format("'{}' run --quiet --step-limit 1000000000 -n {} --platform '{}' '{}/ours'",
                  ORRERY_BINARY, ranks, platform, path),
      count);
  const double theirs = passes_a_second(
      fmt::format("cd '{}' && smpirun -np {} -platform '{}' -hostfile '{}' "
                  "--cfg=smpi/simulate-computation:no --log=root.thres:error ./theirs",
                  path, ranks, platform, hosts),
      count);
  return {ours, theirs, {}};
}

bool smpi_is_here() {
  return access("/usr/bin/smpicc", X_OK) == 0 && access("/usr/bin/smpirun", X_OK) == 0;
}

}  // namespace

std::vector<BenchmarkRow> mpi_rate_rows() {
  if (!smpi_is_here()) return {};
  constexpr int repetitions = 3;
  return {
      {"MPI ping-pong", "messages/s", "SMPI", ratio_at_least(3), repetitions,
       [] { return beside_smpi(ping_pong, 2, 50'000); }},
      {"MPI barrier of 256 ranks", "barriers/s", "SMPI", ratio_at_least(3), repetitions,
       [] { return beside_smpi(barrier, 256, 30); }},
      {"MPI allreduce of 256 ranks", "calls/s", "SMPI", ratio_at_least(3), repetitions,
       [] { return beside_smpi(allreduce, 256, 30); }},
  };
}

}  // namespace orrery::bench
