// What queueing theory says about MyrinetNetwork.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

VirtualDuration ns(std::int64_t count) {
  return VirtualDuration::from_picoseconds(count * 1'000);
}

/// From a random event to the next: exponential, with this mean.
VirtualDuration pause(Numbers& numbers, double mean_us) {
  const double uniform = (static_cast<double>(numbers.next() >> 11) + 0.5) / 9007199254740992.0;
  return VirtualDuration::from_picoseconds(
      static_cast<std::int64_t>(-std::log(uniform) * mean_us * 1e6));
}

/// Who sends a message to whom, of what size.
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Mean wait in us of random (Poisson) arrivals, one in `mean_pause_us`, of messages each of which
/// takes any of the pairs: what they come later than alone.
double mean_wait_us(MyrinetNetwork& network, const Pairs& pairs, std::uint64_t size,
                    double mean_pause_us) {
  constexpr std::size_t count = 200'000;
  Numbers numbers(7);
  std::vector<Sent> traffic;
  VirtualTime now;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto [source, destination] = pairs[static_cast<std::size_t>(numbers.below(pairs.size()))];
    traffic.push_back({{TransferId{i}, source, destination, size}, now});
    now = now + pause(numbers, mean_pause_us);
  }
  network.reset();
  const auto [source, destination] = pairs.front();
  const VirtualTime alone =
      arrivals(network, {{{TransferId{1}, source, destination, size}, {}}})[0];
  network.reset();
  const auto came = arrivals(network, traffic);
  double sum_us = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const VirtualDuration wait = came[i] - traffic[i].date - alone.since_start();
    sum_us += static_cast<double>(wait.picoseconds()) / 1e6;
  }
  return sum_us / count;
}

/// As queueing theory has it for random arrivals and a service of 1 us (Pollaczek and Khinchine).
double md1_wait_us(double load) {
  return load / (2 * (1 - load));
}

/// `hosts` that send to host 0.
Pairs all_to_one(std::uint32_t hosts) {
  Pairs pairs;
  for (std::uint32_t host = 1; host <= hosts; ++host) pairs.emplace_back(host, 0);
  return pairs;
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

TEST_CASE("Random arrivals wait for a station as long as an M/D/1 queue says, whichever it is") {
  // 1 us for a message of 1,000 bytes; all else takes next to nothing, and nobody is held back.
  constexpr std::uint64_t size = 1'000;
  MyrinetParameters card = all_free();
  card.receive_buffers = 300;
  card.messages_in_progress = 1'000'000;
  SECTION("the sending processor") {
    card.send_message_cycles = 1'000;
    card.messages_in_progress = 1;
  }
  SECTION("the receiving processor") {
    card.receive_message_cycles = 1'000;
  }
  SECTION("the bus from the sender's memory") {
    card.bus_read_bytes_per_second = 1'000'000'000;
    card.send_buffers = 100;
  }
  SECTION("the bus to the receiver's memory") {
    card.bus_write_bytes_per_second = 1'000'000'000;
  }
  SECTION("the link") {
    card.link_bytes_per_second = 1'000'000'000;
    card.send_buffers = 100;
  }
  SECTION("the sending host") {
    card.host_send_ns = 1'000;
  }
  SECTION("the receiving host") {
    card.host_receive_ns = 1'000;
  }
  for (const double load : {0.3, 0.5, 0.8}) {
    CAPTURE(load);
    MyrinetNetwork network(2, card);
    CHECK(mean_wait_us(network, {{0, 1}}, size, 1 / load) ==
          Approx(md1_wait_us(load)).epsilon(0.05));
  }
}

TEST_CASE("Two random flows through one card wait as one queue of both") {
  MyrinetParameters card = all_free();
  card.receive_buffers = 300;
  card.messages_in_progress = 1'000'000;
  constexpr double load = 0.7;
  SECTION("out of it") {
    card.send_message_cycles = 1'000;
    card.messages_in_progress = 1;
    MyrinetNetwork network(3, card);
    CHECK(mean_wait_us(network, {{0, 1}, {0, 2}}, 100, 1 / load) ==
          Approx(md1_wait_us(load)).epsilon(0.05));
  }
  SECTION("into it") {
    card.receive_message_cycles = 1'000;
    MyrinetNetwork network(3, card);
    CHECK(mean_wait_us(network, {{1, 0}, {2, 0}}, 100, 1 / load) ==
          Approx(md1_wait_us(load)).epsilon(0.05));
  }
  SECTION("out of it and into it, over one bus") {
    card.bus_read_bytes_per_second = card.bus_write_bytes_per_second = 1'000'000'000;
    card.send_buffers = 300;
    MyrinetParameters fast = card;
    fast.bus_read_bytes_per_second = fast.bus_write_bytes_per_second = 1'000'000'000'000;
    const LinkSpeed unlimited{VirtualDuration::zero(), 1'000'000'000'000};
    MyrinetNetwork network(switched_platform(3, unlimited), {card, fast, fast});
    CHECK(mean_wait_us(network, {{0, 1}, {2, 0}}, 1'000, 1 / load) ==
          Approx(md1_wait_us(load)).epsilon(0.05));
  }
}

TEST_CASE("Messages of 15 hosts to one at random dates wait as in one M/D/1 queue") {
  MyrinetParameters card = all_free();
  card.link_bytes_per_second = 1'000'000'000;
  card.messages_in_progress = 1'000'000;
  card.send_buffers = 100;
  for (const double load : {0.4, 0.8}) {
    CAPTURE(load);
    MyrinetNetwork network(16, card);
    CHECK(mean_wait_us(network, all_to_one(15), 1'000, 1 / load) ==
          Approx(md1_wait_us(load)).epsilon(0.05));
  }
}

TEST_CASE("15 hosts that send to one all the time get the rate of the slowest station") {
  MyrinetParameters card;
  card.fragment_bytes = 4'000;
  card.packet_overhead_bytes = 0;
  card.link_bytes_per_second = 250'000'000;
  VirtualDuration each = ns(16'000);
  SECTION("its link") {}
  SECTION("its bus") {
    card.bus_write_bytes_per_second = 100'000'000;
    each = ns(40'100);
  }
  SECTION("its processor") {
    card.nic_clock_hz = 100'000'000;
    card.receive_message_cycles = 4'000;
    card.receive_fragment_cycles = 1'000;
    each = ns(50'000 + 400);  // and the acknowledgement
  }
  SECTION("its host") {
    card.host_receive_ns = 60'000;
    each = ns(60'000);
  }
  MyrinetNetwork network(16, card);
  constexpr std::size_t rounds = 100;
  std::vector<Sent> traffic;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (const auto& [host, to] : all_to_one(15)) {
      traffic.push_back({{TransferId{traffic.size() + 1}, host, to, 4'000}, {}});
    }
  }
  auto came = arrivals(network, traffic);
  std::ranges::sort(came);
  const auto half = came.size() / 2;
  const double span = static_cast<double>((came.back() - came[half - 1]).picoseconds());
  CHECK(span / static_cast<double>(came.size() - half) ==
        Approx(static_cast<double>(each.picoseconds())).epsilon(0.005));
}

TEST_CASE("A ping-pong under load comes later by the wait of an M/D/1 queue on its way") {
  // 100 hosts load the link to host 0 at random; host 101 plays with host 0 meanwhile.
  constexpr std::uint32_t others = 100;
  constexpr std::uint32_t player = others + 1;
  constexpr std::size_t rounds = 20'000;
  MyrinetParameters card = all_free();
  card.link_bytes_per_second = 1'000'000'000;
  card.messages_in_progress = 1'000'000;
  card.send_buffers = 100;
  const double load = GENERATE(0.3, 0.6, 0.8);
  CAPTURE(load);
  Numbers numbers(17);
  MyrinetNetwork network(player + 1, card);
  std::vector<ArrivalDate> dates;
  VirtualTime next_load;
  VirtualTime next_ping;
  VirtualTime pinged;
  std::uint64_t number = 0;
  double sum_us = 0;
  std::size_t played = 0;
  TransferId ball{};
  VirtualTime ball_arrives = VirtualTime::never();
  bool is_ping = true;
  while (played < rounds) {
    const VirtualTime now = std::min({next_load, next_ping, ball_arrives, network.next_event()});
    network.advance(now, dates);
    if (now == next_load) {
      const auto host = static_cast<std::uint32_t>(1 + numbers.below(others));
      network.start({TransferId{++number}, host, 0, 1'000}, now, dates);
      next_load = now + pause(numbers, 1 / load);
    }
    if (now == next_ping) {
      pinged = now;
      is_ping = true;
      ball = TransferId{++number};
      network.start({ball, player, 0, 1'000}, now, dates);
      next_ping = VirtualTime::never();
    }
    for (const ArrivalDate& said : dates) {
      if (said.transfer == ball) ball_arrives = said.date;
    }
    dates.clear();
    if (ball_arrives > now) continue;
    ball_arrives = VirtualTime::never();
    if (is_ping) {
      is_ping = false;
      ball = TransferId{++number};
      network.start({ball, 0, player, 1'000}, now, dates);
      continue;
    }
    sum_us += static_cast<double>((now - pinged).picoseconds()) / 1e6;
    ++played;
    next_ping = now + VirtualDuration(20us) + pause(numbers, 10);
  }
  // Alone each way takes 1 us on the link, and 1 ns twice on buses.
  constexpr double alone_us = 2 * 1.002;
  CHECK(sum_us / rounds - alone_us == Approx(md1_wait_us(load)).epsilon(0.05));
}
