// Myrinet cards whose fabric is the links of a platform.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

/// As far apart as at one switch of a Myrinet, with links that are never in the way.
std::shared_ptr<Platform> one_switch(std::uint32_t hosts) {
  return switched_platform(hosts, {VirtualDuration(75ns), 1'000'000'000});
}

std::vector<MyrinetParameters> all_with(std::uint32_t hosts, const MyrinetParameters& card) {
  return std::vector<MyrinetParameters>(hosts, card);
}

/// `hosts` in a ring of cables, over which all go in one direction.
std::shared_ptr<BuiltPlatform> ring(std::uint32_t hosts, double bytes_per_second) {
  auto platform = std::make_shared<BuiltPlatform>();
  for (std::uint32_t i = 0; i < hosts; ++i) {
    PlatformHost host;
    host.name = "node-" + std::to_string(i);
    platform->add_host(host);
    PlatformLink cable;
    cable.name = "cable-" + std::to_string(i);
    cable.bandwidth_bytes_per_second = bytes_per_second;
    cable.latency = VirtualDuration(1us);
    platform->add_link(cable);
  }
  platform->set_routes([hosts](std::uint32_t source, std::uint32_t destination) {
    std::vector<std::uint32_t> links;
    for (; source != destination; source = (source + 1) % hosts) links.push_back(source);
    return links;
  });
  return platform;
}

double seconds(VirtualDuration duration) {
  return static_cast<double>(duration.picoseconds()) * 1e-12;
}

std::string refusal(const std::shared_ptr<Platform>& platform,
                    const std::vector<MyrinetParameters>& cards) {
  try {
    MyrinetNetwork network(platform, cards);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("A message alone on a fast platform takes as long as at a Myrinet's own switch") {
  for (const MyrinetPreset& preset : myrinet_presets()) {
    CAPTURE(std::string(preset.name));
    MyrinetNetwork network(one_switch(2), all_with(2, preset.parameters));
    for (const std::uint64_t size : {0, 8, 4'096, 4'097, 100'000}) {
      CAPTURE(size);
      network.reset();
      const VirtualDuration here = arrivals(network, stream(1, size)).front().since_start();
      const VirtualDuration there = time_alone(preset.parameters, size);
      // The bytes of a flow may end a picosecond off for each fragment.
      const std::int64_t fragments = static_cast<std::int64_t>(size / 4'096) + 1;
      CHECK(std::abs(here.picoseconds() - there.picoseconds()) <= fragments);
    }
  }
}

TEST_CASE("The first date of a message alone is that of its arrival, or 2 picoseconds before") {
  MyrinetNetwork network(ring(3, 100e6), all_with(3, {}));
  std::vector<ArrivalDate> dates;
  network.start({TransferId{1}, 0, 2, 3'000}, VirtualTime::start(), dates);
  const VirtualTime first = dates.front().date;
  network.reset();
  const auto came = arrivals(network, {{{TransferId{1}, 0, 2, 3'000}, {}}});
  CHECK(came[0] - first <= VirtualDuration::from_picoseconds(2));
  CHECK(came[0] >= first);
}

TEST_CASE("A long message moves at the rate of the platform's slowest link") {
  MyrinetNetwork network(ring(3, 100e6), all_with(3, {}));
  const std::uint64_t size = 4'096'000;
  const VirtualDuration took =
      arrivals(network, {{{TransferId{1}, 0, 2, size}, {}}}).front().since_start();
  const double with_overhead = 1'000.0 * (4'096 + 24);
  CHECK(seconds(took) == Approx(with_overhead / 100e6).epsilon(0.001));
}

TEST_CASE("Flows of different cards share a link of the platform") {
  // 0 to 2 and 1 to 3 both go over the cable from 1 to 2.
  MyrinetNetwork network(ring(4, 100e6), all_with(4, {}));
  const std::uint64_t size = 4'096'000;
  const auto came =
      arrivals(network, {{{TransferId{1}, 0, 2, size}, {}}, {{TransferId{2}, 1, 3, size}, {}}});
  for (const VirtualTime date : came) {
    CHECK(seconds(date.since_start()) == Approx(2 * 1'000.0 * 4'120 / 100e6).epsilon(0.001));
  }
}

TEST_CASE("A card's own link is shared by those who send to it, whatever the platform can do") {
  MyrinetParameters card;
  card.link_bytes_per_second = 100'000'000;
  MyrinetNetwork network(one_switch(4), all_with(4, card));
  std::vector<Sent> traffic;
  const std::uint64_t size = 409'600;
  for (std::uint32_t host = 1; host < 4; ++host) {
    traffic.push_back({{TransferId{host}, host, 0, size}, {}});
  }
  for (const VirtualTime date : arrivals(network, traffic)) {
    CHECK(seconds(date.since_start()) == Approx(3 * 100.0 * 4'120 / 100e6).epsilon(0.01));
  }
}

TEST_CASE("A card without receive buffers holds back the fabric's flows") {
  MyrinetParameters card;
  card.fragment_bytes = 4'000;
  card.packet_overhead_bytes = 0;
  card.link_bytes_per_second = 250'000'000;
  card.nic_clock_hz = 100'000'000;
  MyrinetParameters slow = card;
  slow.receive_buffers = 1;
  slow.bus_write_bytes_per_second = 10'000'000;  // 400 us a fragment
  MyrinetNetwork network(one_switch(3), {slow, card, card});
  const std::uint64_t size = 400'000;
  const auto came = arrivals(network, {{{TransferId{1}, 1, 0, size}, {}},
                                       {{TransferId{2}, 2, 0, size}, {}},
                                       {{TransferId{3}, 1, 2, 100}, {}}});
  // On the link 16,000 ns, to the card 500, processor 700, bus 400,100: for each of 200 fragments.
  CHECK(seconds(std::max(came[0], came[1]).since_start()) == Approx(200 * 417.3e-6).epsilon(0.005));
  // What waits behind, for another host, is held up too: messages leave a card in order.
  CHECK(came[2] > VirtualTime::start() + VirtualDuration(80ms));
}

TEST_CASE("Routes that take the same links all round block nobody for ever") {
  MyrinetParameters card;
  card.receive_buffers = 1;
  card.send_buffers = 1;
  MyrinetNetwork network(ring(5, 50e6), all_with(5, card));
  const auto traffic = random_traffic(11, 5, 500, 20'000);
  const auto came = arrivals(network, traffic);
  for (const NicStatistics& nic : network.card_statistics().nics) {
    CHECK(nic.sent.messages > 0);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, VirtualTime> last;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    auto& before = last[{traffic[i].transfer.source_host, traffic[i].transfer.destination_host}];
    CHECK(before < came[i]);
    before = came[i];
  }
}

TEST_CASE("On a platform too a date that may still move does so before it has passed") {
  const bool changing = GENERATE(false, true);
  const auto platform = ring(6, 80e6);
  if (changing) {
    const auto at = [](std::int64_t microseconds) {
      return VirtualTime::from_picoseconds(microseconds * 1'000'000);
    };
    platform->add_change({at(500), 2, 500e6, {}});
    platform->add_change({at(900), 3, 0, {}});
    platform->add_change({at(1'000), 1, 0, VirtualDuration(400us)});
    platform->add_change({at(1'500), 3, 60e6, {}});
    platform->add_change({at(2'000), 1, 0, VirtualDuration(0us)});
  }
  MyrinetParameters card;
  card.receive_buffers = 2;
  card.send_tokens = 3;
  MyrinetNetwork network(platform, all_with(6, card));
  const Promises promises = promises_of(network, random_traffic(4, 6, 400, 20'000));
  CHECK(promises.moved > 400);
  CHECK(promises.broken == 0);
}

TEST_CASE("New traffic may make other messages faster, whose dates are then earlier") {
  // The message from 0 to 2 has a competitor on its cable, which a third one on the way of that
  // competitor slows down.
  const auto platform = std::make_shared<BuiltPlatform>();
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    PlatformHost host;
    host.name = name;
    platform->add_host(std::move(host));
  }
  const auto cable = [&](const char* name, double bytes_per_second) {
    PlatformLink link;
    link.name = name;
    link.bandwidth_bytes_per_second = bytes_per_second;
    return platform->add_link(std::move(link));
  };
  const std::uint32_t wide = cable("wide", 40e6);
  const std::uint32_t narrow = cable("narrow", 20e6);
  platform->set_routes([=](std::uint32_t source, std::uint32_t) {
    if (source == 0) return std::vector{wide};
    if (source == 1) return std::vector{wide, narrow};
    return std::vector{narrow};
  });
  MyrinetNetwork network(platform, all_with(5, {}));
  const VirtualTime later = VirtualTime::start() + VirtualDuration(50us);
  const std::vector<Sent> alone = {{{TransferId{1}, 0, 2, 4'096}, {}},
                                   {{TransferId{2}, 1, 3, 4'096}, {}}};
  std::vector<Sent> traffic = alone;
  traffic.push_back({{TransferId{3}, 4, 2, 4'096}, later});
  const VirtualTime before = arrivals(network, alone)[0];
  network.reset();
  CHECK(arrivals(network, traffic)[0] < before);
  CHECK(promises_of(network, traffic).broken == 0);
}

TEST_CASE("A way that becomes shorter while messages are on it does not change their order") {
  const auto platform = ring(2, 100e6);
  platform->add_change({VirtualTime::start(), 0, 0, VirtualDuration(5ms)});
  platform->add_change({VirtualTime::start() + VirtualDuration(200us), 0, 0, VirtualDuration(1us)});
  MyrinetNetwork network(platform, all_with(2, {}));
  const auto came = arrivals(network, stream(12, 4'096));
  CHECK(std::ranges::is_sorted(came));
  CHECK(came.front() > VirtualTime::start() + VirtualDuration(5ms));
  CHECK(came.back() < VirtualTime::start() + VirtualDuration(6ms));
}

TEST_CASE("The same traffic on a platform has the same dates after a reset") {
  MyrinetNetwork network(ring(5, 80e6), all_with(5, {}));
  const auto traffic = random_traffic(5, 5, 400, 20'000);
  const auto first = arrivals(network, traffic);
  network.reset();
  std::vector<ArrivalDate> dates;
  for (const Sent& sent : random_traffic(6, 5, 50, 20'000)) {
    network.start(sent.transfer, sent.date, dates);
  }
  network.reset();
  CHECK(network.next_event() == VirtualTime::never());
  CHECK(arrivals(network, traffic) == first);
}

TEST_CASE("Hosts may have different cards: each end takes its own time") {
  MyrinetParameters slow;
  slow.nic_clock_hz = 100'000'000;
  slow.host_send_ns = 1'000;
  slow.nic_to_nic_ns = 550;
  const MyrinetParameters fast;
  const auto latency = [&](const MyrinetParameters& from, const MyrinetParameters& to) {
    MyrinetNetwork network(one_switch(2), {from, to});
    return arrivals(network, stream(1, 100)).front().since_start();
  };
  const auto cycles = [](std::int64_t count, std::int64_t picoseconds) {
    return VirtualDuration::from_picoseconds(count * picoseconds);
  };
  // 360 cycles at 10 ns in place of 360 at 4.444, 730 ns more on the host, half of 200 ns.
  const VirtualDuration slower = cycles(360, 10'000) - VirtualDuration(1600ns);
  const auto near = [](VirtualDuration a, VirtualDuration b) {
    return std::abs((a - b).picoseconds()) <= 3;
  };
  CHECK(near(latency(slow, fast) - latency(fast, fast),
             slower + VirtualDuration(730ns) + VirtualDuration(100ns)));
  CHECK(near(latency(fast, slow) - latency(fast, fast), slower + VirtualDuration(100ns)));
}

TEST_CASE("A host sends to itself as the platform says, under its own number") {
  const auto platform = ring(2, 100e6);
  PlatformLink loop;
  loop.name = "loop";
  loop.bandwidth_bytes_per_second = 1e9;
  loop.latency = VirtualDuration(3us);
  platform->set_route(0, 0, {platform->add_link(loop)});
  MyrinetNetwork network(platform, all_with(2, {}));
  const auto came = arrivals(network, {{{TransferId{1}, 0, 0, 1'000}, {}},
                                       {{TransferId{2}, 1, 1, 10'000}, {}},
                                       {{TransferId{3}, 0, 1, 10}, {}}});
  CHECK(came[0] == VirtualTime::start() + VirtualDuration(4us));
  CHECK(came[1] == VirtualTime::start() + VirtualDuration(1500ns));
  CHECK(network.host(1).name == "node-1");
}

TEST_CASE("The statistics have the cards' stations and the platform's links") {
  MyrinetNetwork network(ring(3, 100e6), all_with(3, {}));
  network.keep_statistics(true);
  network.reset();
  arrivals(network, {{{TransferId{1}, 0, 1, 10'000}, {}}});
  const NetworkStatistics statistics = network.statistics();
  REQUIRE(statistics.nics.size() == 2);
  CHECK(statistics.nics[0].host == "node-0");
  CHECK(statistics.nics[0].sent.bytes == 10'000);
  CHECK(statistics.nics[1].stations.size() == 3);
  const auto cable = std::ranges::find(statistics.links, "cable-0", &NetworkLink::name);
  REQUIRE(cable != statistics.links.end());
  CHECK(cable->traffic.bytes == 10'000 + 3 * 24);
}

TEST_CASE("Cards that do not fit a platform are refused") {
  MyrinetParameters larger;
  larger.fragment_bytes = 8'192;
  CHECK(refusal(ring(2, 1e8), {{}, larger}).find("the card of host 'node-1'") == 0);
  CHECK(refusal(ring(2, 1e8), all_with(3, {})).find("2 hosts with 3 cards") != std::string::npos);
  MyrinetParameters blocked;
  blocked.send_buffers = 0;
  CHECK(refusal(ring(2, 1e8), {{}, blocked}).find("'node-1': send_buffers=0") != std::string::npos);
}
