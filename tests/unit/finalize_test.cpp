// A NIC hears when the processes of its host have done their work.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>

#include "../../sim_runtime/front_ends/mpi/include/mpi.h"

extern "C" int orrery_front_end_attach(const OrreryRuntime*);

using namespace std::chrono_literals;
using namespace orrery;

namespace {

using Ends = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // date in us, host

struct EndsHook final : FirmwareHook {
  explicit EndsHook(Ends& into) : ends(into) {}
  FirmwareWork on_finalize(const FirmwareCall& call) override {
    ends.emplace_back(call.date.nanoseconds() / 1000, call.host);
    return {};
  }
  Ends& ends;
};

Ends ends_of(const Program& program, const Placement& placement) {
  Ends ends;
  SimulationOptions options;
  options.network = [&ends] {
    return std::make_unique<MyrinetNetwork>(3, MyrinetParameters{},
                                            std::make_unique<EndsHook>(ends));
  };
  options.placement = placement;
  UndisturbedChooser chooser;
  CHECK(Simulation(options).run(program, chooser).is_clean());
  std::ranges::sort(ends);
  return ends;
}

}  // namespace

TEST_CASE("A process that returns has done its work, whatever its threads still do") {
  const Program program = [](World& world) {
    world.ranks(3, [&world](Communicator& comm) {
      Thread other = world.thread("other", [&world] { world.sleep_for(10us); });
      other.detach();
      world.sleep_for(VirtualDuration(1us) * (3 - comm.rank()));
    });
  };
  CHECK(ends_of(program, Placement()) == Ends{{1, 2}, {2, 1}, {3, 0}});
  // Each process of a host says so for itself.
  CHECK(ends_of(program, Placement::list({1, 1, 2})) == Ends{{1, 2}, {2, 1}, {3, 1}});
}

TEST_CASE("MPI_Finalize is the end of a rank's work, and what comes after it is not") {
  const Program program = [](World& world) {
    world.ranks(2, [&world](Communicator&) {
      MPI_Init(nullptr, nullptr);
      world.sleep_for(2us);
      MPI_Finalize();
      world.sleep_for(5us);
    });
  };
  REQUIRE(orrery_front_end_attach(&simulated_runtime()) == 0);
  CHECK(ends_of(program, Placement()) == Ends{{2, 0}, {2, 1}});
  orrery_front_end_attach(nullptr);
}
