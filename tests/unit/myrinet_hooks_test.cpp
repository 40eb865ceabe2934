// Firmware hooks: what they cost, and whom.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

constexpr std::uint64_t marked_bytes = 1'000;

/// Does its work for messages of `marked_bytes` alone.
struct MarkedHook final : FirmwareHook {
  FirmwareWork at_send;
  FirmwareWork at_receive;
  std::uint64_t buffer = 0;
  bool gives_up = false;
  std::vector<std::pair<std::uint32_t, VirtualTime>>* calls = nullptr;

  FirmwareWork noted(const FirmwareCall& call, const Transfer& transfer, FirmwareWork work) const {
    if (transfer.size_bytes != marked_bytes) return {};
    if (calls != nullptr) calls->emplace_back(call.host, call.date);
    return work;
  }
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return buffer; }
  FirmwareWork on_send(const FirmwareCall& call, const Transfer& transfer) override {
    return noted(call, transfer, at_send);
  }
  FirmwareWork on_receive(const FirmwareCall& call, const Transfer& transfer) override {
    return noted(call, transfer, at_receive);
  }
  FirmwareWork on_buffer_full(const FirmwareCall& call) override {
    return gives_up ? FirmwareWork{} : FirmwareHook::on_buffer_full(call);
  }
};

VirtualTime at_us(std::int64_t microseconds) {
  return VirtualTime::from_picoseconds(microseconds * 1'000'000);
}

/// 100 MHz: a cycle is 10 ns.  What a flush costs the host: firmware_flush_test.cpp.
MyrinetParameters at_100_mhz() {
  MyrinetParameters result;
  result.host_interrupt_ns = 0;
  result.nic_clock_hz = 100'000'000;
  result.bus_write_bytes_per_second = 1'000'000'000;
  return result;
}

/// Marked: 2 and 4.  At one date with a marked one, but between other cards: 1.
std::vector<Sent> messages_apart() {
  return {{{TransferId{1}, 2, 3, 500}, at_us(0)},
          {{TransferId{2}, 0, 1, marked_bytes}, at_us(0)},
          {{TransferId{3}, 0, 1, 500}, at_us(1'000)},
          {{TransferId{4}, 0, 1, marked_bytes}, at_us(2'000)},
          {{TransferId{5}, 0, 1, 500}, at_us(3'000)},
          {{TransferId{6}, 1, 0, 500}, at_us(4'000)}};
}

std::vector<VirtualDuration> delays(std::unique_ptr<MarkedHook> hook,
                                    const std::vector<Sent>& traffic) {
  MyrinetNetwork plain(4, at_100_mhz());
  MyrinetNetwork hooked(4, at_100_mhz(), std::move(hook));
  const auto without = arrivals(plain, traffic);
  const auto with = arrivals(hooked, traffic);
  std::vector<VirtualDuration> result;
  for (std::size_t i = 0; i < with.size(); ++i) result.push_back(with[i] - without[i]);
  return result;
}

}  // namespace

TEST_CASE("A hook's cycles delay exactly the messages that it takes them for") {
  const VirtualDuration none;
  const VirtualDuration hooked = 50us;  // 5,000 cycles
  const std::vector<VirtualDuration> expected = {none, hooked, none, hooked, none, none};
  auto sending = std::make_unique<MarkedHook>();
  sending->at_send.cycles = 5'000;
  CHECK(delays(std::move(sending), messages_apart()) == expected);
  auto receiving = std::make_unique<MarkedHook>();
  receiving->at_receive.cycles = 5'000;
  CHECK(delays(std::move(receiving), messages_apart()) == expected);
}

TEST_CASE("A hook's cycles hold up what waits for the same processor, and nothing else") {
  // At the receiving card; the second message comes from another host while the hook runs.
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, marked_bytes}, at_us(0)},
                                     {{TransferId{2}, 2, 1, 500}, at_us(20)},
                                     {{TransferId{3}, 2, 3, 500}, at_us(20)}};
  auto hook = std::make_unique<MarkedHook>();
  hook->at_receive.cycles = 5'000;
  const auto late = delays(std::move(hook), traffic);
  CHECK(late[0] == VirtualDuration(50us));
  CHECK(late[1] > VirtualDuration(30us));
  CHECK(late[1] < VirtualDuration(50us));
  CHECK(late[2] == VirtualDuration::zero());
}

TEST_CASE("A hook is called once a message, when the processor turns to it") {
  std::vector<std::pair<std::uint32_t, VirtualTime>> calls;
  auto hook = std::make_unique<MarkedHook>();
  hook->calls = &calls;
  MyrinetParameters parameters = at_100_mhz();
  parameters.fragment_bytes = 400;  // three fragments
  MyrinetNetwork network(2, parameters, std::move(hook));
  const auto came = arrivals(network, {{{TransferId{1}, 0, 1, marked_bytes}, {}}});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].first == 0);
  CHECK(calls[0].second == VirtualTime::start() + VirtualDuration(270ns + 850ns));
  CHECK(calls[1].first == 1);
  // Then 70 cycles, 200 bytes over the bus, the notice and the host.
  CHECK(calls[1].second == came[0] - VirtualDuration(700ns + 100ns + 200ns + 850ns + 270ns));
}

TEST_CASE("A full buffer holds the processor up until it is in host memory") {
  std::vector<Sent> traffic = messages_apart();
  for (Sent& sent : traffic) sent.transfer.size_bytes = marked_bytes;
  auto hook = std::make_unique<MarkedHook>();
  hook->buffer = 10'000;
  hook->at_send.kept_bytes = 4'000;
  // Host 0 sends messages 2 to 5: the third of them finds 8,000 bytes there, and the fourth 4,000.
  const VirtualDuration none;
  const VirtualDuration flush = 100ns + 8us;
  CHECK(delays(std::move(hook), traffic) ==
        std::vector<VirtualDuration>{none, none, none, flush, none, none});
}

TEST_CASE("A hook's early flush takes the bus, and the processor does not wait for it") {
  auto hook = std::make_unique<MarkedHook>();
  hook->buffer = 4'000;
  hook->at_receive = {.cycles = 0, .kept_bytes = 4'000, .dma_bytes = 4'000};
  // On the bus just before the message's own bytes.
  CHECK(delays(std::move(hook), messages_apart())[1] == VirtualDuration(4us + 100ns));
}

TEST_CASE("What is kept at the end goes to the host when it finalizes") {
  auto hook = std::make_unique<MarkedHook>();
  hook->buffer = 1'000;
  hook->at_receive = {.cycles = 40, .kept_bytes = 8, .dma_bytes = 0};
  MyrinetNetwork network(2, at_100_mhz(), std::move(hook));
  const auto traffic = stream(20, marked_bytes);
  const auto came = arrivals(network, traffic);
  CHECK(network.card_statistics().nics[1].hook.cycles == 800);
  CHECK(network.card_statistics().nics[1].hook.dma_bytes == 0);
  std::vector<ArrivalDate> dates;
  network.finalize(1, came.back(), dates);
  while (network.next_event() != VirtualTime::never()) {
    network.advance(network.next_event(), dates);
  }
  CHECK(dates.empty());
  CHECK(network.card_statistics().nics[1].hook.dma_bytes == 160);
  network.reset();
  CHECK(network.card_statistics().nics[1].hook.cycles == 0);
  CHECK(arrivals(network, traffic) == came);
}

TEST_CASE("A hook that does not fit the card is refused") {
  auto large = std::make_unique<MarkedHook>();
  large->buffer = 2'097'152;
  CHECK_THROWS_AS(MyrinetNetwork(2, MyrinetParameters{}, std::move(large)), UsageError);

  auto small = std::make_unique<MarkedHook>();
  small->buffer = 4;
  small->at_send.kept_bytes = 5;
  MyrinetNetwork keeps_too_much(2, {}, std::move(small));
  CHECK_THROWS_AS(arrivals(keeps_too_much, stream(1, marked_bytes)), UsageError);

  auto stuck = std::make_unique<MarkedHook>();
  stuck->buffer = 8;
  stuck->at_send.kept_bytes = 5;
  stuck->gives_up = true;
  MyrinetNetwork never_flushes(2, {}, std::move(stuck));
  CHECK_THROWS_AS(arrivals(never_flushes, stream(2, marked_bytes)), UsageError);
}
