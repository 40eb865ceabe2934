// Messages through a described cluster, beside SimGrid's own simulation of the same.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

// Small, since SimGrid only passes a pointer: what the network costs is the same for any size.
constexpr std::size_t message_words = 125;

/// 256 hosts, each with a link up and one down, around a backbone.
class ClusterFile {
 public:
  ClusterFile()
      : path_((std::filesystem::temp_directory_path() /
               fmt::format("orrery_bench_{}.xml", static_cast<int>(getpid())))
                  .string()) {
    std::ofstream(path_) << R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-255" speed="1Gf" bw="125MBps" lat="50us"
           bb_bw="10GBps" bb_lat="10us"/>
</platform>
)";
  }
  ~ClusterFile() { std::filesystem::remove(path_); }
  ClusterFile(const ClusterFile&) = delete;
  ClusterFile& operator=(const ClusterFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Each pair has one message under way at a time.
Program talking_pairs(int pairs, int messages) {
  return [=](World& world) {
    world.ranks(static_cast<std::uint32_t>(2 * pairs), [messages](Communicator& comm) {
      const std::int32_t other = comm.rank() ^ 1;
      const std::vector<double> words(message_words);
      for (int i = 0; i < messages; ++i) {
        if ((i % 2 == 0) == (comm.rank() % 2 == 0)) {
          comm.send(other, 0, words);
        } else {
          comm.receive<std::vector<double>>(other, 0);
        }
      }
    });
  };
}

double messages_of_simgrid(const std::string& platform, int pairs, int messages) {
  const std::string command =
      fmt::format("'{}' '{}' {} {}", ORRERY_S4U_PUT_GET, platform, pairs, messages);
  std::FILE* const peer = popen(command.c_str(), "r");
  double seconds = 0;
  const bool was_read = peer != nullptr && std::fscanf(peer, "%lf", &seconds) == 1;
  if (peer == nullptr || pclose(peer) != 0 || !was_read) {
    throw UsageError("SimGrid's side of the comparison failed", command);
  }
  return static_cast<double>(pairs) * messages / seconds;
}

Sample talking(int pairs) {
  const int messages = 20'000 / pairs;
  const ClusterFile file;
  SimulationOptions options = boundless(VirtualDuration::zero());
  options.network = network_factory(file.path(), 0, "bench");
  TimedRuns runs(options, "random");
  const Program program = talking_pairs(pairs, messages);
  runs.run(program, 1);  // routes and stacks are kept from run to run
  const RunCosts costs = runs.run(program, 1);
  return {static_cast<double>(pairs) * messages / costs.seconds,
          messages_of_simgrid(file.path(), pairs, messages),
          {}};
}

}  // namespace

std::vector<BenchmarkRow> network_rate_rows() {
  constexpr int repetitions = 5;
  const auto row = [](int pairs, double target) {
    return BenchmarkRow{
        fmt::format("platform: {} message{} at a time", pairs, pairs == 1 ? "" : "s"),
        "messages/s",
        "SimGrid's put and get",
        ratio_at_least(target),
        repetitions,
        [pairs] { return talking(pairs); }};
  };
  return {row(1, 2), row(16, 2), row(128, 3)};
}

}  // namespace orrery::bench
