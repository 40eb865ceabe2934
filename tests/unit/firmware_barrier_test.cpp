// A barrier that the cards do among themselves, and the packets of firmware hooks.
#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/firmware_barrier.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

VirtualDuration ps(std::int64_t count) {
  return VirtualDuration::from_picoseconds(count);
}

/// When a host entered and left each barrier.
struct Visit {
  VirtualTime entered;
  VirtualTime left;
};

/// Hosts that enter one barrier after the other, each at its own pace.
std::vector<std::vector<Visit>> barriers(MyrinetNetwork& network, std::size_t count,
                                         std::uint64_t seed) {
  Numbers numbers(seed);
  const std::uint32_t hosts = network.host_count();
  std::vector<std::vector<Visit>> visits(hosts);
  std::multimap<VirtualTime, std::uint32_t> entering;  // hosts by date
  for (std::uint32_t host = 0; host < hosts; ++host) entering.emplace(VirtualTime(), host);
  std::map<TransferId, VirtualTime> expected;
  std::vector<ArrivalDate> dates;
  const auto leave = [&](VirtualTime now) {
    for (const ArrivalDate& said : dates) expected[said.transfer] = said.date;
    dates.clear();
    for (auto next = expected.begin(); next != expected.end();) {
      if (next->second > now) {
        ++next;
        continue;
      }
      const auto host = static_cast<std::uint32_t>(static_cast<std::uint64_t>(next->first) % hosts);
      visits[host].back().left = next->second;
      if (visits[host].size() < count) {
        const auto pause = ps(static_cast<std::int64_t>(numbers.below(30'000'000)));
        entering.emplace(next->second + pause, host);
      }
      next = expected.erase(next);
    }
  };
  while (!entering.empty() || network.next_event() != VirtualTime::never()) {
    const VirtualTime entry = entering.empty() ? VirtualTime::never() : entering.begin()->first;
    const VirtualTime now = std::min(entry, network.next_event());
    network.advance(now, dates);
    if (now == entry) {
      const std::uint32_t host = entering.begin()->second;
      entering.erase(entering.begin());
      visits[host].push_back({now, VirtualTime::never()});
      network.request(host, {TransferId{visits[host].size() * hosts + host}, 0}, now, dates);
    }
    leave(now);
  }
  return visits;
}

void check_barriers(MyrinetNetwork& network) {
  const auto visits = barriers(network, 20, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    VirtualTime last_entry;
    VirtualTime first_exit = VirtualTime::never();
    for (const auto& of_host : visits) {
      REQUIRE(of_host.size() == 20);
      last_entry = std::max(last_entry, of_host[i].entered);
      first_exit = std::min(first_exit, of_host[i].left);
      CHECK(of_host[i].left != VirtualTime::never());
    }
    CHECK(first_exit > last_entry);
  }
}

/// Sends a packet to host 1 for each message, and notes when packets come.
struct Echo final : FirmwareHook {
  std::uint32_t destination = 1;
  std::vector<FirmwareCall>* came = nullptr;
  std::vector<TransferId> answers;
  FirmwareWork on_send(const FirmwareCall&, const Transfer&) override {
    FirmwareWork work;
    work.packets = {{destination, 100, 7}};
    return work;
  }
  FirmwareWork on_request(const FirmwareCall&, const FirmwareRequest&) override {
    FirmwareWork work;
    work.answers = answers;
    return work;
  }
  FirmwareWork on_packet(const FirmwareCall& call, std::uint32_t source_host,
                         const FirmwarePacket& packet) override {
    CHECK(source_host == 0);
    CHECK(packet.word == 7);
    CHECK(packet.size_bytes == 100);
    if (came != nullptr) came->push_back(call);
    return {};
  }
};

}  // namespace

TEST_CASE("Nobody leaves a barrier of the cards before all have entered it") {
  for (const std::uint32_t hosts : {1U, 2U, 3U, 5U, 8U, 13U, 16U}) {
    CAPTURE(hosts);
    MyrinetNetwork network(hosts, {}, std::make_unique<FirmwareBarrier>(hosts));
    check_barriers(network);
    network.reset();
    check_barriers(network);
  }
}

TEST_CASE("A barrier of the cards goes over the links of a platform too") {
  const auto platform = switched_platform(6, {VirtualDuration(1us), 100'000'000});
  MyrinetNetwork network(platform, std::vector<MyrinetParameters>(6),
                         std::make_unique<FirmwareBarrier>(6));
  check_barriers(network);
}

TEST_CASE("Two cards take for a barrier what its steps take") {
  MyrinetParameters card;
  card.nic_clock_hz = 100'000'000;  // 10 ns
  card.link_bytes_per_second = 250'000'000;
  card.bus_write_bytes_per_second = 1'000'000'000;
  // The host and the doorbell; 60 cycles for the request and 60 for the packet; 32 bytes on the
  // link, 500 ns between the cards; 40 cycles to take a packet and 40 of the hook; 8 bytes over the
  // bus, the notice, the host.
  const VirtualDuration steps =
      VirtualDuration(270ns) + 850ns + 1200ns + 128ns + 500ns + 800ns + 108ns + 850ns + 270ns;
  CHECK(firmware_barrier_time(card, 2) == steps);
  // A further round is a packet and its cycles: 60 to send, 128 ns, 500 ns, 80 to take.
  CHECK(firmware_barrier_time(card, 4) == steps + VirtualDuration(600ns) + 128ns + 500ns + 800ns);
}

TEST_CASE("The cards' barrier is faster than the hosts' with messages, on every card") {
  for (const MyrinetPreset& preset : myrinet_presets()) {
    CAPTURE(std::string(preset.name));
    for (const std::uint32_t hosts : {4U, 16U, 64U}) {
      CAPTURE(hosts);
      const VirtualDuration of_cards = firmware_barrier_time(preset.parameters, hosts);
      const VirtualDuration of_hosts = host_barrier_time(preset.parameters, hosts);
      CHECK(of_cards < of_hosts);
      // A round of the hosts is at least a message.
      CHECK(of_hosts >= time_alone(preset.parameters, 0) * std::bit_width(hosts - 1));
    }
  }
  const MyrinetParameters& card = myrinet_preset("myrinet-pcixd");
  CHECK(firmware_barrier_time(card, 16) * 2 < host_barrier_time(card, 16));
}

TEST_CASE("A hook's packet goes from card to card when its cycles are over") {
  std::vector<FirmwareCall> came;
  auto hook = std::make_unique<Echo>();
  hook->came = &came;
  MyrinetNetwork network(3, {}, std::move(hook));
  arrivals(network, {{{TransferId{1}, 0, 2, 1'000}, {}}});
  REQUIRE(came.size() == 1);
  CHECK(came[0].host == 1);
  // 360 cycles until it leaves, 124 bytes on the link, 500 ns: before the message's own bytes.
  CHECK(came[0].date == VirtualTime::start() + VirtualDuration(270ns + 850ns) + ps(1'600'000) +
                            ps(499'195) + VirtualDuration(500ns));
  CHECK(network.card_statistics().nics[1].received.messages == 0);
}

TEST_CASE("What a hook or a caller cannot mean is refused") {
  std::vector<ArrivalDate> dates;
  MyrinetNetwork without(2);
  CHECK_THROWS_AS(without.request(0, {TransferId{1}, 0}, {}, dates), UsageError);

  auto to_itself = std::make_unique<Echo>();
  to_itself->destination = 0;
  MyrinetNetwork sends_to_itself(2, {}, std::move(to_itself));
  CHECK_THROWS_AS(arrivals(sends_to_itself, stream(1, 10)), UsageError);

  auto answering = std::make_unique<Echo>();
  answering->answers = {TransferId{99}};
  MyrinetNetwork answers_nobody(2, {}, std::move(answering));
  answers_nobody.request(0, {TransferId{1}, 0}, {}, dates);
  CHECK_THROWS_AS(answers_nobody.advance(VirtualTime::start() + VirtualDuration(1s), dates),
                  UsageError);

  MyrinetNetwork larger(3, {}, std::make_unique<FirmwareBarrier>(2));
  larger.request(2, {TransferId{1}, 0}, {}, dates);
  CHECK_THROWS_AS(larger.advance(VirtualTime::start() + VirtualDuration(1s), dates), UsageError);
}
