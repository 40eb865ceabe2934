// What code on a card costs the host: flushes, their interrupts, and messages that go round by the
// card; and how it gets there.
#include <chrono>
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

/// Keeps something of each message of `marked_bytes` that comes, and sends it to the host at once.
struct FlushingHook final : FirmwareHook {
  std::uint64_t flushed = 10'000;
  std::uint64_t buffer = 100'000;
  std::uint64_t code = 0;
  bool is_local = false;

  [[nodiscard]] std::uint64_t buffer_bytes() const override { return buffer; }
  [[nodiscard]] std::uint64_t code_sram_bytes() const override { return code; }
  [[nodiscard]] bool sees_local_messages() const override { return is_local; }
  FirmwareWork on_receive(const FirmwareCall&, const Transfer& transfer) override {
    if (transfer.size_bytes != marked_bytes) return {};
    return {.cycles = 0, .kept_bytes = flushed, .dma_bytes = flushed};
  }
};

VirtualTime at_us(std::int64_t microseconds) {
  return VirtualTime::from_picoseconds(microseconds * 1'000'000);
}

/// A flush of 10,000 bytes takes the bus 10.1 us, an interrupt the host 40 us.
MyrinetParameters slow_host() {
  MyrinetParameters result;
  result.bus_write_bytes_per_second = 1'000'000'000;
  result.host_interrupt_ns = 40'000;
  return result;
}

/// A marked message to host 1, and one that follows so much later.
std::vector<VirtualDuration> delays_after(std::int64_t later_us) {
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                     {{TransferId{2}, 2, 1, 500}, at_us(later_us)},
                                     {{TransferId{3}, 2, 3, 500}, at_us(later_us)}};
  MyrinetNetwork plain(4, slow_host());
  MyrinetNetwork hooked(4, slow_host(), std::make_unique<FlushingHook>());
  const auto without = arrivals(plain, traffic);
  const auto with = arrivals(hooked, traffic);
  return delays_between(without, with);
}

}  // namespace

TEST_CASE("A flush holds up the bus, and its interrupt the host, and nobody else") {
  // In front of the bus stands the flush: the message itself comes 10.1 us later, and is then
  // behind the interrupt, since the host hears of both 850 ns after the bus.
  const auto at_once = delays_after(0);
  CHECK(at_once[0] > VirtualDuration(10us));
  const VirtualDuration none;
  CHECK(at_once[2] == none);
  // When the flush is over, the next message finds the host still in its interrupt.
  const auto later = delays_after(20);
  CHECK(later[1] > VirtualDuration(20us));
  CHECK(later[1] < VirtualDuration(40us));
  CHECK(later[2] == none);
  const auto much_later = delays_after(100);
  CHECK(much_later[1] == none);
}

TEST_CASE("What a flush took of card and host is in the statistics") {
  MyrinetNetwork network(2, slow_host(), std::make_unique<FlushingHook>());
  network.keep_statistics(true);
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                     {{TransferId{2}, 0, 1, marked_bytes}, at_us(500)}};
  static_cast<void>(arrivals(network, traffic));
  const NicStatistics card = network.card_statistics().nics[1];
  CHECK(card.hook.kept_bytes == 20'000);
  CHECK(card.hook.dma_bytes == 20'000);
  CHECK(card.hook.interrupts == 2);
  CHECK(card.hook.interrupt_time == VirtualDuration(80us));
  CHECK(card.host.busy == VirtualDuration(80us + 540ns));
  // Each the flush and the message.
  CHECK(card.bus.busy == VirtualDuration(2 * (10'100ns + 1'100ns)));
  const auto named = network.statistics().nics;
  REQUIRE(named.size() == 2);
  CHECK(named[1].hook.interrupt_time == VirtualDuration(80us));
  CHECK(named[0].hook.interrupts == 0);
}

TEST_CASE("A processor whose buffer is full waits, and says how long") {
  auto hook = std::make_unique<FlushingHook>();
  hook->buffer = 10'000;
  MyrinetNetwork network(3, slow_host(), std::move(hook));
  // Both at once, from two hosts: the second has no room until the first one's bytes are away.
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                     {{TransferId{2}, 2, 1, marked_bytes}, at_us(0)}};
  static_cast<void>(arrivals(network, traffic));
  const FirmwareHookUse use = network.card_statistics().nics[1].hook;
  CHECK(use.waited_for_room > VirtualDuration(5us));
  CHECK(use.waited_for_room < VirtualDuration(10'100ns));
}

TEST_CASE("Messages of a host to itself go round by the card where a hook sees them") {
  const auto of = [](bool is_local) {
    auto hook = std::make_unique<FlushingHook>();
    hook->is_local = is_local;
    MyrinetNetwork network(2, MyrinetParameters{}, std::move(hook));
    const std::vector<Sent> traffic = {{{TransferId{1}, 1, 1, marked_bytes}, at_us(0)},
                                       {{TransferId{2}, 1, 1, 9'000}, at_us(0)},
                                       {{TransferId{3}, 1, 0, 4}, at_us(0)}};
    const auto dates = arrivals(network, traffic);
    CHECK(network.card_statistics().nics[1].local.messages == 2);
    CHECK(network.card_statistics().nics[1].received.messages == 0);
    CHECK(network.card_statistics().nics[1].sent.messages == 1);
    CHECK(network.card_statistics().nics[1].hook.interrupts == (is_local ? 1 : 0));
    return dates;
  };
  const auto past = of(false);
  const auto round = of(true);
  CHECK(past[0] < at_us(2));
  CHECK(round[0] > at_us(6));
  CHECK(round[1] > round[0]);
  CHECK(round[2] > past[2]);  // it waits for them at its own card
}

TEST_CASE("Messages of a host to itself go round by the card on platforms, too") {
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 0, 5'000}, at_us(0)}};
  const auto hook = std::make_shared<FlushingHook>();
  hook->is_local = true;
  MyrinetNetwork myrinet(2);
  myrinet.load_firmware(hook);
  const auto links = switched_platform(2, {VirtualDuration(75ns), 1'000'000'000});
  MyrinetNetwork platform(links, {MyrinetParameters{}, MyrinetParameters{}});
  platform.load_firmware(hook);
  CHECK(arrivals(platform, traffic) == arrivals(myrinet, traffic));
}

TEST_CASE(
    "Code that does not fit onto a card, or has none, is refused with the room that is left") {
  auto hook = std::make_shared<FlushingHook>();
  ConstantNetwork plain(2);
  CHECK(contains(refusal(plain, hook), "no cards"));
  CHECK_THROWS_AS(with_firmware(nullptr, hook)(), UsageError);
  MyrinetNetwork myrinet(2);
  // 2 MiB, of which 512 KiB and 20 buffers of 4 KiB are taken.
  hook->buffer = 1'490'945;
  hook->code = 0;
  CHECK(contains(refusal(myrinet, hook), "of which 1490944 are left"));
  hook->buffer = 1'490'944;
  CHECK(refusal(myrinet, hook) == "taken");
  CHECK(contains(refusal(myrinet, hook), "already"));
  JitteredNetwork jittered(std::make_unique<MyrinetNetwork>(2), Jitter{});
  hook->code = 1;
  CHECK(contains(refusal(jittered, hook), "not enough for 1 of code and 1490944"));
  hook->code = 0;
  CHECK(refusal(jittered, hook) == "taken");
}
