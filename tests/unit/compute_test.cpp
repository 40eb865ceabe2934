// Computing takes virtual time, on cores that ranks share.
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace std::chrono_literals;
using namespace orrery;

namespace {

/// Two hosts of two cores of 2 Gflop/s.
std::unique_ptr<NetworkModel> two_hosts() {
  auto platform = std::make_shared<BuiltPlatform>();
  for (const char* const name : {"a", "b"}) {
    PlatformHost host;
    host.name = name;
    host.speed_flops = 2e9;
    host.cores = 2;
    platform->add_host(std::move(host));
  }
  return std::make_unique<SimGridNetwork>(platform);
}

/// When each rank has done 2e6 operations, of which a core of these hosts needs 1 ms.
std::vector<VirtualDuration> ends(const SimulationOptions& options, std::uint32_t ranks) {
  std::vector<VirtualDuration> result(ranks);
  const Program program = [&](World& world) {
    world.ranks(ranks, [&](Communicator& comm) {
      world.compute(2e6);
      result[static_cast<std::size_t>(comm.rank())] = world.now().since_start();
    });
  };
  UndisturbedChooser chooser;
  Simulation simulation(options);
  CHECK(simulation.run(program, chooser).is_clean());
  const std::vector<VirtualDuration> first = result;
  CHECK(simulation.run(program, chooser).is_clean());  // cores are free again
  CHECK(result == first);
  return result;
}

using Ends = std::vector<VirtualDuration>;

}  // namespace

TEST_CASE("A computation takes its operations by the speed of the host") {
  SimulationOptions options;
  CHECK(ends(options, 3) == Ends{2ms, 2ms, 2ms});  // 1 Gflop/s where nobody says more
  options.network = two_hosts;
  CHECK(ends(options, 2) == Ends{1ms, 1ms});
}

TEST_CASE("Ranks have a core each while there are as many, and wait in turn when there are not") {
  SimulationOptions options;
  options.network = two_hosts;
  options.placement = Placement::list({0, 0, 0, 0, 0, 1});
  Ends dates = ends(options, 6);
  CHECK(dates.back() == VirtualDuration(1ms));
  dates.pop_back();
  std::ranges::sort(dates);
  CHECK(dates == Ends{1ms, 1ms, 2ms, 2ms, 3ms});
}

TEST_CASE("Operations that nobody can count are refused") {
  UndisturbedChooser chooser;
  for (const double flops : {-1.0, 1e19, std::numeric_limits<double>::quiet_NaN()}) {
    const Program program = [flops](World& world) { world.compute(flops); };
    CHECK_THROWS_AS(Simulation(SimulationOptions{}).run(program, chooser), UsageError);
  }
}
