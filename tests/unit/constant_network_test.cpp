#include <chrono>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>

using namespace std::chrono_literals;
using namespace orrery;

namespace {

VirtualTime arrival(NetworkModel& network, std::uint32_t source, std::uint32_t destination,
                    std::uint64_t size_bytes, VirtualTime now = VirtualTime::start()) {
  std::vector<ArrivalDate> dates;
  network.start({TransferId{7}, source, destination, size_bytes}, now, dates);
  REQUIRE(dates.size() == 1);
  CHECK(dates.front().transfer == TransferId{7});
  return dates.front().date;
}

constexpr LinkSpeed gigabit{50us, 125'000'000};

}  // namespace

TEST_CASE("10,000 bytes over 125 MB/s and 50 us arrive after 130 us exactly") {
  ConstantNetwork network(2, gigabit);
  CHECK(arrival(network, 0, 1, 10'000).picoseconds() == 130'000'000);
  CHECK(arrival(network, 1, 0, 10'000).picoseconds() == 130'000'000);
}

TEST_CASE("An empty message takes the latency alone") {
  ConstantNetwork network(2, gigabit);
  CHECK(arrival(network, 0, 1, 0) == VirtualTime::start() + VirtualDuration(50us));
}

TEST_CASE("A transfer is counted from the date at which it starts") {
  ConstantNetwork network(2, gigabit);
  const VirtualTime now = VirtualTime::start() + VirtualDuration(1ms);
  CHECK(arrival(network, 0, 1, 10'000, now) - now == VirtualDuration(130us));
}

TEST_CASE("Transfers do not slow each other down") {
  ConstantNetwork network(3, gigabit);
  const VirtualTime alone = arrival(network, 0, 1, 1'000'000);
  CHECK(arrival(network, 0, 1, 1'000'000) == alone);
  CHECK(arrival(network, 2, 1, 1'000'000) == alone);
  CHECK(network.next_event() == VirtualTime::never());
}

TEST_CASE("A host sends to itself over the loopback") {
  ConstantNetwork network(2, gigabit, {500ns, 10'000'000'000});
  CHECK(arrival(network, 1, 1, 10'000) == VirtualTime::start() + VirtualDuration(1500ns));
}

TEST_CASE("One direction of one pair can be given its own speed") {
  ConstantNetwork network(4, gigabit);
  network.set_pair(0, 3, {2ms, 1'000'000});
  CHECK(arrival(network, 0, 3, 1'000) == VirtualTime::start() + VirtualDuration(3ms));
  CHECK(arrival(network, 3, 0, 10'000) == VirtualTime::start() + VirtualDuration(130us));
  network.reset();
  CHECK(arrival(network, 0, 3, 1'000) == VirtualTime::start() + VirtualDuration(3ms));
}

TEST_CASE("A part of a picosecond is rounded up, so that nothing arrives early") {
  CHECK(LinkSpeed{0s, 3'000'000'000'000}.duration(1).picoseconds() == 1);
  CHECK(LinkSpeed{0s, 780'000'000}.duration(1).picoseconds() == 1283);
}

TEST_CASE("Without a bandwidth size costs nothing, and huge sizes saturate") {
  CHECK(LinkSpeed{50us, 0}.duration(UINT64_MAX) == VirtualDuration(50us));
  CHECK(LinkSpeed{50us, 1}.duration(UINT64_MAX) == VirtualDuration::max());
  CHECK(LinkSpeed{50us, UINT64_MAX}.duration(UINT64_MAX) == VirtualDuration(1s + 50us));
}

TEST_CASE("A network without hosts, a host that is not there and negative latencies are refused") {
  CHECK_THROWS_AS(ConstantNetwork(0), UsageError);
  CHECK_THROWS_AS(ConstantNetwork(2, LinkSpeed{-1us, 0}), UsageError);
  ConstantNetwork network(2);
  CHECK_THROWS_AS(network.set_pair(0, 2, gigabit), UsageError);
  CHECK_THROWS_AS(network.set_pair(2, 0, gigabit), UsageError);
  CHECK_THROWS_AS(network.set_pair(0, 1, (LinkSpeed{-1us, 0})), UsageError);
  CHECK_THROWS_WITH(network.set_pair(0, 5, gigabit), Catch::Contains("from 0 to 1"));
}
