// What queueing theory says about MyrinetNetwork.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <catch2/catch.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

VirtualDuration ns(std::int64_t count) {
  return VirtualDuration::from_picoseconds(count * 1'000);
}

/// Mean time in the queue in units of the service time, of random (Poisson) arrivals of empty
/// messages at one station that takes 1 us.
double mean_wait(const MyrinetParameters& parameters, double load) {
  constexpr int count = 200'000;
  Numbers numbers(7);
  std::vector<Sent> traffic = stream(count, 0);
  double now_ps = 0;
  for (Sent& sent : traffic) {
    sent.date = VirtualTime::from_picoseconds(static_cast<std::int64_t>(now_ps));
    const double uniform = (static_cast<double>(numbers.next() >> 11) + 0.5) / 9007199254740992.0;
    now_ps += -std::log(uniform) * 1e6 / load;
  }
  MyrinetNetwork network(2, parameters);
  const auto came = arrivals(network, traffic);
  double sum_us = 0;
  for (std::size_t i = 0; i < came.size(); ++i) {
    sum_us += static_cast<double>((came[i] - traffic[i].date).picoseconds()) / 1e6 - 1;
  }
  return sum_us / count;
}

}  // namespace

TEST_CASE("A long message moves at the rate of the slowest station, whichever that is") {
  // Fragments of 4,000 bytes.
  MyrinetParameters parameters;
  parameters.fragment_bytes = 4'000;
  parameters.packet_overhead_bytes = 0;
  parameters.link_bytes_per_second = 250'000'000;
  SECTION("the link") {
    CHECK(time_per_fragment(parameters) == ns(16'000));
  }
  SECTION("the bus that the sender's card reads from, with its setup") {
    parameters.bus_read_bytes_per_second = 100'000'000;
    CHECK(time_per_fragment(parameters) == ns(40'100));
  }
  SECTION("the bus that the receiver's card writes to, with its setup") {
    parameters.bus_write_bytes_per_second = 50'000'000;
    CHECK(time_per_fragment(parameters) == ns(80'100));
  }
  SECTION("the sender's processor") {
    parameters.nic_clock_hz = 100'000'000;
    parameters.send_fragment_cycles = 3'000;
    CHECK(time_per_fragment(parameters) == ns(30'000));
  }
  SECTION("the receiver's processor") {
    parameters.nic_clock_hz = 100'000'000;
    parameters.receive_fragment_cycles = 5'000;
    CHECK(time_per_fragment(parameters) == ns(50'000));
  }
}

TEST_CASE("With one receive buffer the link waits until the fragment before is in host memory") {
  MyrinetParameters parameters;
  parameters.receive_buffers = 1;
  parameters.fragment_bytes = 4'000;
  parameters.packet_overhead_bytes = 0;
  parameters.link_bytes_per_second = 250'000'000;
  parameters.bus_write_bytes_per_second = 1'000'000'000;
  parameters.nic_clock_hz = 100'000'000;
  // On the link 16,000 ns, to the card 500, processor 700, bus 4,100.
  CHECK(time_per_fragment(parameters) == ns(21'300));
}

TEST_CASE("With one token a host hands over a message when the one before was acknowledged") {
  MyrinetParameters parameters;
  parameters.send_tokens = 1;
  MyrinetNetwork network(2, parameters);
  const auto came = arrivals(network, stream(5, 100));
  const VirtualDuration alone = came[0].since_start();
  // The acknowledgement leaves before the bus, the notice and the receiving host have had their
  // times: 40 cycles at both ends, 32 bytes on the link, and the way between the cards.
  const VirtualDuration bus = ns(100) + VirtualDuration::from_picoseconds(95'786);  // 100 B
  const VirtualDuration back = VirtualDuration::from_picoseconds(2 * 177'778 + 128'825) + ns(500);
  for (std::size_t i = 1; i < came.size(); ++i) {
    CHECK(came[i] - came[i - 1] == alone - bus - ns(850 + 270) + back);
  }
}

TEST_CASE("Of 15 senders to one host each gets a fifteenth of its link") {
  constexpr std::uint32_t senders = 15;
  constexpr int each = 200;
  MyrinetParameters parameters;
  parameters.link_bytes_per_second = 250'000'000;
  parameters.packet_overhead_bytes = 4;  // 4,100 bytes: 16.4 us
  MyrinetNetwork network(senders + 1, parameters);
  std::vector<Sent> traffic;
  for (int i = 0; i < each; ++i) {
    for (std::uint32_t host = 1; host <= senders; ++host) {
      traffic.push_back({{TransferId{traffic.size() + 1}, host, 0, 4'096}, {}});
    }
  }
  const auto came = arrivals(network, traffic);
  const auto [first, last] = std::minmax_element(came.begin(), came.end());
  CHECK(*last - *first == ns(16'400) * (senders * each - 1));
  // By any date, nobody has got more than one message further than another.
  for (std::size_t round = 1; round < each; ++round) {
    const auto begin = came.begin() + static_cast<std::ptrdiff_t>(round * senders);
    CHECK(*std::max_element(begin - senders, begin) < *std::min_element(begin, begin + senders));
  }
  CHECK(network.card_statistics().to_host[0].use.longest_queue == senders - 1);
}

TEST_CASE("Two flows out of one card share its link, and in both directions its bus") {
  MyrinetParameters parameters = all_free();
  parameters.link_bytes_per_second = 250'000'000;
  const std::uint64_t size = 4'096'000;
  MyrinetNetwork out(3, parameters);
  const auto shared =
      arrivals(out, {{{TransferId{1}, 0, 1, size}, {}}, {{TransferId{2}, 0, 2, size}, {}}});
  CHECK(shared[1].since_start().picoseconds() == Approx(2.0 * size / 250e6 * 1e12).epsilon(0.001));

  parameters.bus_read_bytes_per_second = parameters.bus_write_bytes_per_second = 300'000'000;
  MyrinetNetwork both(2, parameters);
  const auto crossing =
      arrivals(both, {{{TransferId{1}, 0, 1, size}, {}}, {{TransferId{2}, 1, 0, size}, {}}});
  for (const VirtualTime date : crossing) {
    CHECK(date.since_start().picoseconds() == Approx(2.0 * size / 300e6 * 1e12).epsilon(0.002));
  }
}

TEST_CASE("Random arrivals wait for a NIC's processor as long as an M/D/1 queue says") {
  MyrinetParameters sending = all_free();
  sending.send_message_cycles = 1'000;  // 1 us
  MyrinetParameters receiving = all_free();
  receiving.receive_message_cycles = 1'000;
  receiving.receive_buffers = 300;  // nobody is held back before
  receiving.messages_in_progress = 1'000;
  for (const double load : {0.3, 0.5, 0.8}) {
    CAPTURE(load);
    const double theory = load / (2 * (1 - load));
    CHECK(mean_wait(sending, load) == Approx(theory).epsilon(0.05));
    CHECK(mean_wait(receiving, load) == Approx(theory).epsilon(0.05));
  }
}
