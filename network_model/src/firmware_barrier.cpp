#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <orrery/network_model/firmware_barrier.hpp>
#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery {
namespace {

std::uint32_t rounds_of(std::uint32_t host_count) {
  return static_cast<std::uint32_t>(std::bit_width(host_count - 1));
}

std::uint32_t further(std::uint32_t host, std::uint32_t round, std::uint32_t host_count) {
  return static_cast<std::uint32_t>((host + (std::uint64_t{1} << round)) % host_count);
}

/// The hosts' side of a barrier of messages: who waits in which round.
class HostBarrier {
 public:
  explicit HostBarrier(std::uint32_t host_count)
      : host_count_(host_count), rounds_(rounds_of(host_count)), hosts_(host_count) {}

  void begin(MyrinetNetwork& network) {
    for (std::uint32_t host = 0; host < host_count_; ++host) send(network, host, {});
  }
  /// Takes the dates that have come true by `now`, and sends what they allow.
  void take(MyrinetNetwork& network, VirtualTime now) {
    for (const ArrivalDate& said : std::exchange(dates_, {})) expected_[said.transfer] = said.date;
    // Ordered, so that hosts go on in the order of their messages.
    for (auto next = expected_.begin(); next != expected_.end();) {
      if (next->second > now) {
        ++next;
        continue;
      }
      const std::uint64_t id = static_cast<std::uint64_t>(next->first);
      next = expected_.erase(next);
      last_ = now;
      came(network, static_cast<std::uint32_t>(id / rounds_), id % rounds_, now);
    }
  }
  /// When the last message came.
  [[nodiscard]] VirtualTime last() const { return last_; }
  [[nodiscard]] std::vector<ArrivalDate>& dates() { return dates_; }

 private:
  struct Host {
    std::uint32_t round = 0;
    std::uint64_t arrived = 0;  // a bit a round
  };
  void send(MyrinetNetwork& network, std::uint32_t host, VirtualTime now) {
    const std::uint32_t to = further(host, hosts_[host].round, host_count_);
    const TransferId id{std::uint64_t{to} * rounds_ + hosts_[host].round};
    network.start({id, host, to, 0}, now, dates_);
  }
  void came(MyrinetNetwork& network, std::uint32_t to, std::uint64_t round, VirtualTime now) {
    Host& host = hosts_[to];
    host.arrived |= 1ULL << round;
    while ((host.arrived >> host.round & 1U) != 0 && ++host.round < rounds_) {
      send(network, to, now);
    }
  }

  std::uint32_t host_count_;
  std::uint32_t rounds_;
  std::vector<Host> hosts_;
  std::map<TransferId, VirtualTime> expected_;
  std::vector<ArrivalDate> dates_;
  VirtualTime last_;
};

}  // namespace

FirmwareBarrier::FirmwareBarrier(std::uint32_t host_count, const FirmwareBarrierCosts& costs)
    : costs_(costs), rounds_(rounds_of(host_count)), cards_(host_count) {
  reset();
}

void FirmwareBarrier::reset() {
  for (Card& card : cards_) {
    card = {};
    card.arrived.resize(rounds_);
  }
}

FirmwareWork FirmwareBarrier::on_request(const FirmwareCall& call, const FirmwareRequest& request) {
  if (call.host >= cards_.size()) {
    throw UsageError("host " + std::to_string(call.host) + " enters a barrier of " +
                         std::to_string(cards_.size()) + " hosts",
                     "FirmwareBarrier", "make it of as many hosts as the network has");
  }
  Card& card = cards_[call.host];
  if (card.is_inside) {
    throw UsageError("host " + std::to_string(call.host) + " enters a barrier that it is in",
                     "FirmwareBarrier", "wait for the answer first");
  }
  card.is_inside = true;
  card.request = request.id;
  card.round = 0;
  ++card.barrier;
  FirmwareWork work;
  work.cycles = costs_.request_cycles;
  begin_round(call.host, work);
  go_on(call.host, work);
  return work;
}

FirmwareWork FirmwareBarrier::on_packet(const FirmwareCall& call, std::uint32_t,
                                        const FirmwarePacket& packet) {
  FirmwareWork work;
  work.cycles = costs_.packet_cycles;
  // Of this barrier or, from a card that is ahead, of the next.
  ++cards_[call.host].arrived[static_cast<std::size_t>(packet.word)];
  go_on(call.host, work);
  return work;
}

/// Sends this round's packet, if there is a round left.
void FirmwareBarrier::begin_round(std::uint32_t host, FirmwareWork& work) const {
  const Card& card = cards_[host];
  if (card.round == rounds_) return;
  const auto host_count = static_cast<std::uint32_t>(cards_.size());
  work.packets.push_back({further(host, card.round, host_count), 8, card.round});
  work.cycles += costs_.send_cycles;
}

/// Through all rounds whose packet has come.
void FirmwareBarrier::go_on(std::uint32_t host, FirmwareWork& work) {
  Card& card = cards_[host];
  if (!card.is_inside) return;
  while (card.round < rounds_ && card.arrived[card.round] >= card.barrier) {
    ++card.round;
    begin_round(host, work);
  }
  if (card.round < rounds_) return;
  card.is_inside = false;
  work.answers.push_back(card.request);
}

VirtualDuration firmware_barrier_time(const MyrinetParameters& parameters,
                                      std::uint32_t host_count) {
  MyrinetNetwork network(host_count, parameters, std::make_unique<FirmwareBarrier>(host_count));
  std::vector<ArrivalDate> dates;
  for (std::uint32_t host = 0; host < host_count; ++host) {
    network.request(host, {TransferId{host}}, VirtualTime::start(), dates);
  }
  while (network.next_event() != VirtualTime::never()) {
    network.advance(network.next_event(), dates);
  }
  std::vector<VirtualTime> left(host_count);
  for (const ArrivalDate& said : dates) left[static_cast<std::size_t>(said.transfer)] = said.date;
  return std::ranges::max(left).since_start();
}

VirtualDuration host_barrier_time(const MyrinetParameters& parameters, std::uint32_t host_count) {
  if (host_count < 2) return VirtualDuration::zero();
  MyrinetNetwork network(host_count, parameters);
  HostBarrier barrier(host_count);
  barrier.begin(network);
  while (network.next_event() != VirtualTime::never()) {
    const VirtualTime now = network.next_event();
    network.advance(now, barrier.dates());
    barrier.take(network, now);
  }
  return barrier.last().since_start();
}

}  // namespace orrery
