// What a user is told of NICs and links after a run.
#include <chrono>
#include <memory>
#include <numeric>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/use_over_time.hpp>

using namespace std::chrono_literals;
using namespace orrery;

namespace {

VirtualTime at(VirtualDuration since_start) {
  return VirtualTime::start() + since_start;
}

VirtualDuration sum(std::span<const VirtualDuration> parts) {
  return std::accumulate(parts.begin(), parts.end(), VirtualDuration::zero());
}

void run_to_end(NetworkModel& network) {
  std::vector<ArrivalDate> dates;
  while (network.next_event() != VirtualTime::never()) {
    network.advance(network.next_event(), dates);
  }
}

void start(NetworkModel& network, std::uint64_t id, std::uint32_t source, std::uint32_t destination,
           std::uint64_t bytes) {
  std::vector<ArrivalDate> dates;
  network.start({TransferId{id}, source, destination, bytes}, VirtualTime::start(), dates);
}

}  // namespace

TEST_CASE("Use over time tells when something was busy, to the picosecond") {
  UseOverTime use;
  use.add(at(0us), at(1500ns));
  REQUIRE(use.buckets().size() == 2);
  CHECK(use.buckets()[0] == VirtualDuration(1us));
  CHECK(use.buckets()[1] == VirtualDuration(500ns));
  use.add(at(3us), at(5us), VirtualDuration(1us));  // half of the time
  CHECK(use.buckets()[3] == VirtualDuration(500ns));
  CHECK(use.buckets()[4] == VirtualDuration(500ns));
  CHECK(sum(use.buckets()) == VirtualDuration(2500ns));
}

TEST_CASE("Use over time stays as small as it is when the run grows, and loses nothing") {
  UseOverTime use;
  for (int i = 0; i < 10'000; ++i) use.add(at(i * 7us), at(i * 7us + 3us));
  CHECK(use.buckets().size() <= UseOverTime::buckets_max);
  CHECK(sum(use.buckets()) == VirtualDuration(30ms));
  CHECK(use.bucket_width() == VirtualDuration(2048us));
  const auto parts = use.parts(10, at(70ms));
  CHECK(parts.size() == 10);
  CHECK(sum(parts) == VirtualDuration(30ms));
  for (const VirtualDuration part : parts) {
    CHECK(part > VirtualDuration(2900us));
    CHECK(part < VirtualDuration(3100us));
  }
  use.add(at(std::chrono::hours(24 * 90)), at(std::chrono::hours(24 * 90) + 1ms));
  CHECK(use.buckets().size() <= UseOverTime::buckets_max);
  CHECK(sum(use.buckets()) == VirtualDuration(31ms));
}

TEST_CASE("Nothing is counted where nobody asked") {
  const auto speed = LinkSpeed{10us, 100'000'000};
  SimGridNetwork shared(switched_platform(3, speed));
  ConstantNetwork constant(3);
  MyrinetNetwork myrinet(3);
  for (NetworkModel* const network :
       {static_cast<NetworkModel*>(&shared), static_cast<NetworkModel*>(&constant),
        static_cast<NetworkModel*>(&myrinet)}) {
    start(*network, 1, 0, 1, 1000);
    run_to_end(*network);
    CHECK(network->statistics().nics.empty());
    CHECK(network->statistics().links.empty());
  }
}

TEST_CASE("Of a constant network a user learns each host's messages and bytes") {
  ConstantNetwork network(1'000'000);
  network.keep_statistics(true);
  start(network, 1, 0, 5, 1000);
  start(network, 2, 5, 0, 10);
  start(network, 3, 5, 5, 7);
  const NetworkStatistics statistics = network.statistics();
  REQUIRE(statistics.nics.size() == 2);
  CHECK(statistics.nics[0].host == "host-0");
  CHECK(statistics.nics[0].sent.bytes == 1000);
  CHECK(statistics.nics[0].received.bytes == 10);
  CHECK(statistics.nics[1].host == "host-5");
  CHECK(statistics.nics[1].sent.messages == 1);
  CHECK(statistics.nics[1].local.bytes == 7);
  network.reset();
  CHECK(network.statistics().nics.empty());
}

TEST_CASE("Two flows over one link fill it, and each comes late by what the other took") {
  // 100,000 bytes over 100 MB/s take 1 ms alone; two of them share the way into host 2 for 2 ms.
  SimGridNetwork network(switched_platform(3, {10us, 100'000'000}));
  network.keep_statistics(true);
  for (int run = 0; run < 2; ++run) {
    network.reset();
    start(network, 1, 0, 2, 100'000);
    start(network, 2, 1, 2, 100'000);
    run_to_end(network);
    const NetworkStatistics statistics = network.statistics();
    REQUIRE(statistics.links.size() == 3);
    const NetworkLink& up = statistics.links[0];
    const NetworkLink& down = statistics.links[2];
    CHECK(up.name == "host-0-up");
    CHECK(up.use.busy == VirtualDuration(1ms));
    CHECK(up.use.longest_queue == 0);
    CHECK(down.name == "host-2-down");
    CHECK(down.traffic.messages == 2);
    CHECK(down.traffic.bytes == 200'000);
    CHECK(down.use.busy == VirtualDuration(2ms));
    CHECK(sum(down.over_time.buckets()) == VirtualDuration(2ms));
    CHECK(down.use.longest_queue == 1);
    CHECK(down.use.longest_wait == VirtualDuration(1ms));
    // Half of host 0's link for all of the time.
    for (const VirtualDuration part : up.over_time.parts(4, at(2ms))) {
      CHECK(part == VirtualDuration(250us));
    }
    CHECK(statistics.nics[2].received.bytes == 200'000);
  }
}

TEST_CASE("A Myrinet card tells how its stations were used, and when") {
  MyrinetNetwork network(3, myrinet_preset("myrinet-pci64b"));
  network.keep_statistics(true);
  start(network, 1, 0, 2, 100'000);
  start(network, 2, 1, 2, 100'000);
  start(network, 3, 1, 1, 5);
  run_to_end(network);
  const NetworkStatistics statistics = network.statistics();
  const MyrinetStatistics cards = network.card_statistics();
  REQUIRE(statistics.nics.size() == 3);
  CHECK(statistics.nics[2].received.bytes == 200'000);
  CHECK(statistics.nics[1].local.bytes == 5);
  REQUIRE(statistics.nics[2].stations.size() == 3);
  const NetworkStation& bus = statistics.nics[2].stations[2];
  CHECK(bus.name == "bus");
  CHECK(bus.use.busy == cards.nics[2].bus.busy);
  CHECK(sum(bus.over_time.buckets()) == bus.use.busy);
  REQUIRE(statistics.links.size() == 6);  // those of the acknowledgements too
  CHECK(statistics.links[0].name == "host-0-up");
  const NetworkLink& down = statistics.links[5];
  CHECK(down.name == "host-2-down");
  CHECK(down.traffic.bytes == 200'000);
  CHECK(down.use.longest_queue >= 1);
  CHECK(sum(down.over_time.buckets()) == down.use.busy);
}
