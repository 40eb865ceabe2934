// Messages on links that they share, whose dates move while they are under way.
#include <chrono>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/catch2.hpp>
#include <orrery/explorers/explorer.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// All send to rank 0 at once; each message must arrive once, and those of one sender in order.
void gather(World& world) {
  world.ranks(4, [](Communicator& comm) {
    constexpr int messages_each = 3;
    if (comm.rank() != 0) {
      for (int i = 0; i < messages_each; ++i) {
        comm.send(0, 0, std::vector<int>(static_cast<std::size_t>(2000 * comm.rank()), i));
      }
      return;
    }
    std::vector<int> next(4, 0);
    for (int i = 0; i < 3 * messages_each; ++i) {
      const auto message = comm.receive<std::vector<int>>();
      check(message.value.at(0) == next.at(static_cast<std::size_t>(message.source))++);
    }
  });
}

}  // namespace

TEST_CASE("Under any window, dates that move neither lose nor double a message") {
  const VirtualDuration windows[] = {VirtualDuration::zero(), 30us, 1ms, any_order};
  for (const VirtualDuration window : windows) {
    for (const std::size_t eager_bytes : {std::size_t{0}, std::size_t{1} << 20U}) {
      CAPTURE(window.nanoseconds(), eager_bytes);
      ExploreOptions options;
      options.runs = 1000;
      options.save_logs = false;
      options.simulation.window = window;
      options.simulation.eager_threshold_bytes = eager_bytes;
      options.simulation.network = network_factory("ethernet-1g:4", 4, "test");
      CHECK_THAT(explore(options, gather), NoFindings());
    }
  }
}
