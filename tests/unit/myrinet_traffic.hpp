// What the tests of MyrinetNetwork share: messages sent in a row or at random, and when they came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery::myrinet_tests {

/// Numbers that are the same everywhere (splitmix64).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

struct Sent {
  Transfer transfer;
  VirtualTime date;
};

/// `count` messages at dates that never go back, between random hosts, of up to `size_max` bytes.
inline std::vector<Sent> random_traffic(std::uint64_t seed, std::uint32_t hosts, int count,
                                        std::uint64_t size_max) {
  Numbers numbers(seed);
  std::vector<Sent> result;
  VirtualTime now;
  for (int i = 1; i <= count; ++i) {
    const auto source = static_cast<std::uint32_t>(numbers.below(hosts));
    const auto to = static_cast<std::uint32_t>((source + 1 + numbers.below(hosts - 1)) % hosts);
    const std::uint64_t size = numbers.below(4) == 0 ? numbers.below(8) : numbers.below(size_max);
    result.push_back({{TransferId(static_cast<std::uint64_t>(i)), source, to, size}, now});
    if (numbers.below(3) == 0) {
      now = now +
            VirtualDuration::from_picoseconds(static_cast<std::int64_t>(numbers.below(20'000'000)));
    }
  }
  return result;
}

/// Arrivals by identity, which count from 1.  Reads the network as the machine does.
inline std::vector<VirtualTime> arrivals(NetworkModel& network, const std::vector<Sent>& traffic) {
  std::vector<ArrivalDate> dates;
  for (const Sent& sent : traffic) {
    network.advance(sent.date, dates);
    network.start(sent.transfer, sent.date, dates);
  }
  while (network.next_event() != VirtualTime::never()) {
    network.advance(network.next_event(), dates);
  }
  std::vector<VirtualTime> result(traffic.size());
  for (const ArrivalDate& said : dates) {
    result[static_cast<std::uint64_t>(said.transfer) - 1] = said.date;
  }
  return result;
}

/// By how much each message came later.
inline std::vector<VirtualDuration> delays_between(const std::vector<VirtualTime>& without,
                                                   const std::vector<VirtualTime>& with) {
  std::vector<VirtualDuration> result;
  for (std::size_t i = 0; i < with.size(); ++i) result.push_back(with[i] - without[i]);
  return result;
}

/// What the network says of code that it does not take; `taken` where it does.
inline std::string refusal(NetworkModel& network, std::shared_ptr<FirmwareHook> hook) {
  try {
    network.load_firmware(std::move(hook));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What became of the dates that a network said.
struct Promises {
  int moved = 0;
  int earlier = 0;  ///< of these, to an earlier date
  int broken = 0;   ///< were to move again, but the network wanted to be asked too late for that
};

/// Holds all that is said of a run beside the dates that came true in the run before.
inline Promises promises_of(NetworkModel& network, const std::vector<Sent>& traffic) {
  network.reset();
  const auto final_dates = arrivals(network, traffic);
  network.reset();
  Promises result;
  std::map<TransferId, VirtualTime> said;
  std::vector<ArrivalDate> dates;
  const auto read = [&] {
    for (const ArrivalDate& date : dates) {
      const auto [found, is_new] = said.emplace(date.transfer, date.date);
      if (is_new) continue;
      ++result.moved;
      if (date.date < found->second) ++result.earlier;
      found->second = date.date;
    }
    dates.clear();
    for (const auto& [transfer, date] : said) {
      const VirtualTime last = final_dates[static_cast<std::uint64_t>(transfer) - 1];
      if (date != last && network.next_event() > std::min(date, last)) ++result.broken;
    }
  };
  for (const Sent& sent : traffic) {
    for (; network.next_event() <= sent.date; read()) network.advance(network.next_event(), dates);
    network.start(sent.transfer, sent.date, dates);
    read();
  }
  for (; network.next_event() != VirtualTime::never(); read()) {
    network.advance(network.next_event(), dates);
  }
  return result;
}

/// `count` messages of one size from host 0 to host 1, all handed over at once.
inline std::vector<Sent> stream(int count, std::uint64_t size_bytes) {
  std::vector<Sent> result;
  for (int i = 1; i <= count; ++i) {
    result.push_back({{TransferId(static_cast<std::uint64_t>(i)), 0, 1, size_bytes}, {}});
  }
  return result;
}

/// From start to arrival, of one message alone.
inline VirtualDuration time_alone(const MyrinetParameters& parameters, std::uint64_t size_bytes) {
  MyrinetNetwork network(2, parameters);
  return arrivals(network, stream(1, size_bytes)).front().since_start();
}

/// What each further fragment of a long message adds, once all stations are full.
inline VirtualDuration time_per_fragment(const MyrinetParameters& parameters) {
  constexpr int fragments = 1'000;
  const VirtualDuration more = time_alone(parameters, 2 * fragments * parameters.fragment_bytes) -
                               time_alone(parameters, fragments * parameters.fragment_bytes);
  return VirtualDuration::from_picoseconds(more.picoseconds() / fragments);
}

/// Parameters of which every station takes no time, but a link with 1 byte a ps for payload.
inline MyrinetParameters all_free() {
  MyrinetParameters result;
  result.host_send_ns = result.host_receive_ns = result.doorbell_ns = result.notice_ns = 0;
  result.send_message_cycles = result.send_fragment_cycles = 0;
  result.receive_message_cycles = result.receive_fragment_cycles = 0;
  result.acknowledgement_cycles = result.acknowledgement_bytes = 0;
  result.nic_clock_hz = 1'000'000'000;
  result.dma_setup_ns = result.nic_to_nic_ns = result.switch_hop_ns = 0;
  result.packet_overhead_bytes = 0;
  result.bus_read_bytes_per_second = result.bus_write_bytes_per_second = 1'000'000'000'000;
  result.link_bytes_per_second = 1'000'000'000'000;
  result.send_tokens = 1'000'000;
  result.sram_bytes = 1'000'000'000;
  return result;
}

}  // namespace orrery::myrinet_tests
