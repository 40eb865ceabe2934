// Code at the output ports of switches: what it costs, and whom; and that it sees what cards see.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/jittered_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

constexpr std::uint64_t marked_bytes = 1'000;

/// Asks for the same at each marked message, or at each of all.
struct PortHook final : FirmwareHook {
  explicit PortHook(HookPlace where, FirmwareWork wanted = {})
      : at(where), work(std::move(wanted)) {}

  [[nodiscard]] HookPlace place() const override { return at; }
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return buffer; }
  [[nodiscard]] std::uint64_t code_sram_bytes() const override { return code; }
  [[nodiscard]] bool sees_local_messages() const override { return is_local; }
  FirmwareWork on_receive(const FirmwareCall& call, const Transfer& transfer) override {
    seen[call.host].push_back(transfer.id);
    return sees_all || transfer.size_bytes == marked_bytes ? work : FirmwareWork{};
  }
  FirmwareWork on_finalize(const FirmwareCall& call) override {
    ends.push_back(call.date);
    return FirmwareHook::on_finalize(call);
  }

  HookPlace at;
  FirmwareWork work;
  std::uint64_t buffer = 0;
  std::uint64_t code = 0;
  bool is_local = false;
  bool sees_all = false;
  std::map<std::uint32_t, std::vector<TransferId>> seen;  // by host
  std::vector<VirtualTime> ends;
};

VirtualTime at_us(std::int64_t microseconds) {
  return VirtualTime::from_picoseconds(microseconds * 1'000'000);
}

MyrinetParameters switches_of(std::uint32_t width) {
  MyrinetParameters result;
  result.hosts_per_switch = width;
  result.port_clock_hz = 100'000'000;           // a cycle is 10 ns
  result.monitor_bytes_per_second = 1'000'000;  // a byte is 1 us
  return result;
}

std::vector<VirtualTime> dates_with(const std::shared_ptr<PortHook>& hook,
                                    const MyrinetParameters& parameters,
                                    const std::vector<Sent>& traffic, std::uint32_t hosts = 8) {
  MyrinetNetwork network(hosts, parameters);
  if (hook) network.load_firmware(hook);
  return arrivals(network, traffic);
}

std::vector<VirtualDuration> delays(const std::shared_ptr<PortHook>& hook,
                                    const std::vector<Sent>& traffic) {
  const auto without = dates_with(nullptr, switches_of(8), traffic);
  const auto with = dates_with(hook, switches_of(8), traffic);
  return delays_between(without, with);
}

}  // namespace

TEST_CASE("Code at ports that takes no time moves no date, and sees what cards see, in order") {
  for (const std::uint32_t width : {8U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(width, seed);
      const auto traffic = random_traffic(seed, 8, 400, 9'000);
      const auto ports = std::make_shared<PortHook>(HookPlace::switch_ports);
      const auto cards = std::make_shared<PortHook>(HookPlace::cards);
      const auto plain = dates_with(nullptr, switches_of(width), traffic);
      CHECK(dates_with(ports, switches_of(width), traffic) == plain);
      CHECK(dates_with(cards, switches_of(width), traffic) == plain);
      CHECK(ports->seen == cards->seen);
    }
  }
}

TEST_CASE("Code at a port holds up the message that passes, what is behind it, and nobody else") {
  const auto hook =
      std::make_shared<PortHook>(HookPlace::switch_ports, FirmwareWork{.cycles = 5'000});
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                     {{TransferId{2}, 2, 1, 500}, at_us(10)},
                                     {{TransferId{3}, 2, 3, 500}, at_us(10)},
                                     {{TransferId{4}, 1, 2, 500}, at_us(0)},
                                     {{TransferId{5}, 2, 1, 500}, at_us(200)}};
  const auto late = delays(hook, traffic);
  CHECK(late[0] == VirtualDuration(50us));
  CHECK(late[1] > VirtualDuration(35us));
  CHECK(late[1] < VirtualDuration(50us));
  CHECK(late[2] == VirtualDuration::zero());
  CHECK(late[3] == VirtualDuration::zero());
  CHECK(late[4] == VirtualDuration::zero());
}

TEST_CASE("What is kept at ports goes to the monitor of their switch, and interrupts no host") {
  const auto hook = std::make_shared<PortHook>(
      HookPlace::switch_ports, FirmwareWork{.cycles = 0, .kept_bytes = 100, .dma_bytes = 100});
  hook->buffer = 200;
  MyrinetNetwork network(8, switches_of(8));
  network.load_firmware(hook);
  const std::vector<Sent> two = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                 {{TransferId{2}, 0, 1, marked_bytes}, at_us(20)}};
  const auto plain = dates_with(nullptr, switches_of(8), two);
  CHECK(arrivals(network, two) == plain);
  const NicStatistics one = network.card_statistics().nics[1];
  CHECK(one.hook.kept_bytes == 200);
  CHECK(one.hook.dma_bytes == 200);
  CHECK(one.hook.interrupts == 2);
  CHECK(one.hook.interrupt_time == VirtualDuration::zero());
  CHECK(one.hook.waited_for_room == VirtualDuration::zero());
  CHECK(one.host.busy == VirtualDuration(2 * 270ns));
}

TEST_CASE("A port whose buffer is full waits for the monitor, which its switch's ports share") {
  const auto waited = [](std::uint32_t width) {
    const auto hook = std::make_shared<PortHook>(
        HookPlace::switch_ports, FirmwareWork{.cycles = 0, .kept_bytes = 100, .dma_bytes = 100});
    hook->buffer = 100;
    MyrinetNetwork network(8, switches_of(width));
    network.load_firmware(hook);
    // To each of two hosts two messages at about the same time: the second one of each has no room
    // until the first one's 100 bytes have gone, for 100 us.
    const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                       {{TransferId{2}, 2, 3, marked_bytes}, at_us(0)},
                                       {{TransferId{3}, 0, 1, marked_bytes}, at_us(0)},
                                       {{TransferId{4}, 2, 3, marked_bytes}, at_us(0)}};
    static_cast<void>(arrivals(network, traffic));
    const auto nics = network.card_statistics().nics;
    return std::pair(nics[1].hook.waited_for_room, nics[3].hook.waited_for_room);
  };
  const auto apart = waited(2);
  CHECK(apart.first > VirtualDuration(90us));
  CHECK(apart.first < VirtualDuration(100us));
  CHECK(apart.second == apart.first);
  const auto together = waited(8);
  CHECK(together.first == apart.first);
  CHECK(together.second > VirtualDuration(190us));
  CHECK(together.second < VirtualDuration(200us));
}

TEST_CASE("All that waits at a port passes it in the end, however small the buffer is") {
  const auto hook = std::make_shared<PortHook>(
      HookPlace::switch_ports, FirmwareWork{.cycles = 10, .kept_bytes = 4, .dma_bytes = 0});
  hook->buffer = 4;
  hook->sees_all = true;
  const auto traffic = random_traffic(7, 8, 400, 9'000);
  const auto plain = dates_with(nullptr, switches_of(3), traffic);
  const auto dates = dates_with(hook, switches_of(3), traffic);
  CHECK(*std::ranges::max_element(dates) > *std::ranges::max_element(plain));
  std::size_t seen = 0;
  for (const auto& [host, messages] : hook->seen) seen += messages.size();
  CHECK(seen == traffic.size());
}

TEST_CASE("Dates that are said of messages past ports move to later ones only, and in time") {
  MyrinetNetwork network(8, switches_of(3));
  const auto hook = std::make_shared<PortHook>(
      HookPlace::switch_ports, FirmwareWork{.cycles = 500, .kept_bytes = 4, .dma_bytes = 0});
  hook->buffer = 64;
  hook->sees_all = true;
  network.load_firmware(hook);
  const Promises promises = promises_of(network, random_traffic(3, 8, 200, 9'000));
  CHECK(promises.moved > 0);
  CHECK(promises.earlier == 0);
  CHECK(promises.broken == 0);
}

TEST_CASE(
    "Messages of a host to itself go to the switch and back where its ports are to see them") {
  const std::vector<Sent> traffic = {{{TransferId{1}, 1, 1, marked_bytes}, at_us(0)}};
  const auto date_at = [&](HookPlace place) {
    const auto hook = std::make_shared<PortHook>(place);
    hook->is_local = true;
    const auto dates = dates_with(hook, switches_of(8), traffic);
    CHECK(hook->seen[1].size() == 1);
    return dates[0];
  };
  CHECK(date_at(HookPlace::switch_ports) - date_at(HookPlace::cards) == VirtualDuration(150ns));
}

TEST_CASE("A port hears that the host behind it is done") {
  const auto hook = std::make_shared<PortHook>(
      HookPlace::switch_ports, FirmwareWork{.cycles = 0, .kept_bytes = 10, .dma_bytes = 0});
  hook->buffer = 100;
  MyrinetNetwork network(8, switches_of(8));
  network.load_firmware(hook);
  static_cast<void>(arrivals(network, {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)}}));
  CHECK(network.card_statistics().nics[1].hook.dma_bytes == 0);
  std::vector<ArrivalDate> dates;
  network.finalize(1, at_us(100), dates);
  while (network.next_event() != VirtualTime::never()) network.advance(network.next_event(), dates);
  REQUIRE(hook->ends.size() == 1);
  CHECK(hook->ends[0] > at_us(101));
  CHECK(hook->ends[0] < at_us(102));
  CHECK(network.card_statistics().nics[1].hook.dma_bytes == 10);
}

TEST_CASE("Code at ports that cannot be is refused with the room that is there") {
  auto hook = std::make_shared<PortHook>(HookPlace::switch_ports);
  ConstantNetwork plain(2);
  CHECK(contains(refusal(plain, hook), "no switches"));
  const auto links = switched_platform(2, {VirtualDuration(75ns), 1'000'000'000});
  MyrinetNetwork platform(links, {MyrinetParameters{}, MyrinetParameters{}});
  CHECK(contains(refusal(platform, hook), "no switches that code could run on"));
  MyrinetNetwork myrinet(2);
  hook->buffer = 131'072;
  hook->code = 1;
  CHECK(contains(refusal(myrinet, hook), "a port of a switch has 131072 bytes of memory"));
  hook->code = 0;
  CHECK(refusal(myrinet, hook) == "taken");
  CHECK(contains(refusal(myrinet, hook), "already"));
  JitteredNetwork jittered(std::make_unique<MyrinetNetwork>(2), Jitter{});
  CHECK(refusal(jittered, hook) == "taken");
  const auto sender = std::make_shared<PortHook>(
      HookPlace::switch_ports, FirmwareWork{.packets = {FirmwarePacket{.destination_host = 1}}});
  MyrinetNetwork other(2);
  other.load_firmware(sender);
  CHECK_THROWS_WITH(arrivals(other, {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)}}),
                    Catch::Contains("sends packets or answers"));
}
