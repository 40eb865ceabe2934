#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

std::string complaint(const MyrinetParameters& parameters) {
  try {
    parameters.check("here");
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("The date that a message alone is given when it starts is the date of its arrival") {
  for (const std::uint64_t size : {0, 1, 4'095, 4'096}) {
    CAPTURE(size);
    MyrinetNetwork network(2);
    std::vector<ArrivalDate> dates;
    network.start({TransferId{1}, 0, 1, size}, VirtualTime::start(), dates);
    REQUIRE(dates.size() == 1);
    CHECK(dates.front().date.since_start() == time_alone({}, size));
  }
}

TEST_CASE("Messages of a pair arrive in the order in which they were sent") {
  MyrinetParameters parameters;
  parameters.messages_in_progress = 3;
  parameters.receive_buffers = 2;
  MyrinetNetwork network(4, parameters);
  const auto traffic = random_traffic(1, 4, 2'000, 30'000);
  const auto came = arrivals(network, traffic);
  std::map<std::pair<std::uint32_t, std::uint32_t>, VirtualTime> last;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    auto& before = last[{traffic[i].transfer.source_host, traffic[i].transfer.destination_host}];
    CHECK(before < came[i]);
    before = came[i];
  }
}

TEST_CASE("The same traffic has the same dates after a reset, in the midst of other traffic too") {
  const auto traffic = random_traffic(2, 8, 1'000, 20'000);
  MyrinetNetwork network(8);
  const auto first = arrivals(network, traffic);
  std::vector<ArrivalDate> dates;
  network.reset();
  for (const Sent& sent : random_traffic(3, 8, 300, 50'000)) {
    network.start(sent.transfer, sent.date, dates);
  }
  CHECK(network.next_event() != VirtualTime::never());
  network.reset();
  CHECK(network.next_event() == VirtualTime::never());
  CHECK(network.card_statistics().nics[0].sent.bytes == 0);
  CHECK(arrivals(network, traffic) == first);
  MyrinetNetwork other(8);
  CHECK(arrivals(other, traffic) == first);
}

TEST_CASE("A date that may still move is never before the next event, and moves to later only") {
  MyrinetParameters parameters;
  parameters.receive_buffers = 2;
  parameters.send_tokens = 3;
  parameters.messages_in_progress = GENERATE(1U, 3U);
  parameters.hosts_per_switch = 3;
  MyrinetNetwork network(6, parameters);
  const Promises promises = promises_of(network, random_traffic(4, 6, 600, 20'000));
  CHECK(promises.moved > 600);
  CHECK(promises.broken == 0);
  CHECK(promises.earlier == 0);
}

TEST_CASE(
    "An acknowledgement holds up what comes to the same processor next, not its own message") {
  MyrinetParameters slow;
  slow.acknowledgement_cycles += 22'500;  // 100 us
  const std::vector<Sent> traffic = {{{TransferId{1}, 0, 1, 100}, {}},
                                     {{TransferId{2}, 2, 1, 100}, {}}};
  MyrinetNetwork without(3);
  MyrinetNetwork with(3, slow);
  const auto before = arrivals(without, traffic);
  const auto after = arrivals(with, traffic);
  CHECK(after[0] == before[0]);
  // Both wait when the processor begins with the first: the acknowledgement queues behind.
  CHECK(after[1] == before[1]);
  const std::vector<Sent> later = {
      traffic[0], {traffic[1].transfer, before[0]}, {{TransferId{3}, 1, 0, 100}, before[0]}};
  without.reset();
  with.reset();
  const auto undisturbed = arrivals(without, later);
  const auto delayed = arrivals(with, later);
  CHECK(delayed[1] - undisturbed[1] > VirtualDuration(80us));
  CHECK(delayed[2] - undisturbed[2] > VirtualDuration(80us));
  CHECK(delayed[2] - undisturbed[2] < VirtualDuration(250us));
}

TEST_CASE("How far one advances at a time makes no difference") {
  const auto traffic = random_traffic(5, 5, 400, 20'000);
  MyrinetNetwork network(5);
  const auto step_by_step = arrivals(network, traffic);
  network.reset();
  std::vector<ArrivalDate> dates;
  for (const Sent& sent : traffic) network.start(sent.transfer, sent.date, dates);
  network.advance(VirtualTime::start() + VirtualDuration(1s), dates);
  CHECK(network.next_event() == VirtualTime::never());
  std::vector<VirtualTime> came(traffic.size());
  for (const ArrivalDate& said : dates) {
    came[static_cast<std::uint64_t>(said.transfer) - 1] = said.date;
  }
  CHECK(came == step_by_step);
}

TEST_CASE("Hosts at different switches are two switches further away") {
  MyrinetParameters parameters;
  parameters.hosts_per_switch = 2;
  MyrinetNetwork network(4, parameters);
  const auto came = arrivals(network, {{{TransferId{1}, 0, 1, 100}, {}}});
  network.reset();
  const auto further = arrivals(network, {{{TransferId{1}, 0, 2, 100}, {}}});
  CHECK(further[0] - came[0] == VirtualDuration(300ns));
  CHECK(network.card_statistics().between_switches.size() == 4);
  CHECK(network.card_statistics().between_switches[2].traffic.bytes == 100);
}

TEST_CASE("A host sends to itself past its card") {
  MyrinetNetwork network(2);
  std::vector<ArrivalDate> dates;
  network.start({TransferId{1}, 1, 1, 10'000}, VirtualTime::start(), dates);
  REQUIRE(dates.size() == 1);
  CHECK(dates[0].date == VirtualTime::start() + VirtualDuration(1500ns));
  CHECK(network.next_event() == VirtualTime::never());
}

TEST_CASE("The statistics count what each card and link did") {
  MyrinetNetwork network(3);
  arrivals(network, {{{TransferId{1}, 0, 2, 10'000}, {}}, {{TransferId{2}, 1, 2, 0}, {}}});
  const MyrinetStatistics statistics = network.card_statistics();
  REQUIRE(statistics.nics.size() == 3);
  CHECK(statistics.nics[0].sent.bytes == 10'000);
  CHECK(statistics.nics[0].sent.fragments == 3);
  CHECK(statistics.nics[0].sent.messages == 1);
  CHECK(statistics.nics[1].sent.fragments == 1);
  CHECK(statistics.nics[2].received.messages == 2);
  CHECK(statistics.nics[2].received.fragments == 4);
  CHECK(statistics.to_host[2].traffic.bytes == 10'000);
  CHECK(statistics.from_host[1].traffic.messages == 1);
  // 540 cycles (290 for the message, 3 times 70, 40 for its acknowledgement) at 225 MHz.
  CHECK(statistics.nics[0].processor.busy.nanoseconds() == 540 * 1'000 / 225);
  // The acknowledgement was no message, but took its time.
  CHECK(statistics.from_host[2].traffic.fragments == 0);
  CHECK(statistics.from_host[2].use.busy > VirtualDuration::zero());
  CHECK(statistics.nics[0].host.busy == VirtualDuration(270ns));
  CHECK(statistics.nics[2].host.busy == VirtualDuration(540ns));
}

TEST_CASE("Parameters out of range are refused by name") {
  CHECK(complaint({}).empty());
  for (const MyrinetPreset& preset : myrinet_presets()) CHECK(complaint(preset.parameters).empty());
  MyrinetParameters slow;
  slow.nic_clock_hz = 0;
  CHECK(contains(complaint(slow), "here: nic_clock_hz=0 is out of range"));
  MyrinetParameters blocked;
  blocked.receive_buffers = 0;
  CHECK(contains(complaint(blocked), "receive_buffers=0"));
  MyrinetParameters alone;
  alone.hosts_per_switch = 0;
  CHECK(contains(complaint(alone), "hosts_per_switch=0"));
  MyrinetParameters small;
  small.sram_bytes = small.firmware_sram_bytes - 1;
  CHECK(contains(complaint(small), "is too small for 524288 bytes of firmware"));
  CHECK_THROWS_AS(MyrinetNetwork(2, blocked), UsageError);
  CHECK_THROWS_AS(MyrinetNetwork(0), UsageError);
  CHECK_THROWS_AS(myrinet_preset("myrinet-pcixf"), UsageError);
}
