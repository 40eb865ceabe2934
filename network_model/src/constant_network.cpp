#include <string>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "host_traffic.hpp"

namespace orrery {
namespace {

constexpr std::uint64_t pair_key(std::uint32_t source, std::uint32_t destination) {
  return (std::uint64_t{source} << 32) | destination;
}

}  // namespace

VirtualDuration LinkSpeed::duration(std::uint64_t size_bytes) const {
  if (bandwidth_bytes_per_second == 0) return latency;
  __extension__ using Unsigned128 = unsigned __int128;
  constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;
  const Unsigned128 scaled = Unsigned128{size_bytes} * picoseconds_per_second;
  const Unsigned128 picoseconds =
      (scaled + (bandwidth_bytes_per_second - 1)) / bandwidth_bytes_per_second;
  const auto most = VirtualDuration::max().picoseconds();
  if (picoseconds > static_cast<std::uint64_t>(most)) return VirtualDuration::max();
  return latency + VirtualDuration::from_picoseconds(static_cast<std::int64_t>(picoseconds));
}

ConstantNetwork::ConstantNetwork(std::uint32_t host_count, LinkSpeed speed, LinkSpeed loopback)
    : host_count_(host_count), default_(speed), loopback_(loopback) {
  if (host_count == 0) {
    throw UsageError("a network needs at least one host", "ConstantNetwork",
                     "give a host count of 1 or more");
  }
  if (speed.latency < VirtualDuration::zero() || loopback.latency < VirtualDuration::zero()) {
    throw UsageError("a latency cannot be negative", "ConstantNetwork", "give 0 or more");
  }
}

ConstantNetwork::~ConstantNetwork() = default;

void ConstantNetwork::reset() {
  if (traffic_) traffic_->reset();
}

void ConstantNetwork::keep_statistics(bool wanted) {
  traffic_ = wanted ? std::make_unique<detail::HostTraffic>() : nullptr;
}

NetworkStatistics ConstantNetwork::statistics() const {
  NetworkStatistics result;
  if (traffic_) traffic_->append_to(result, *this);
  return result;
}

void ConstantNetwork::set_pair(std::uint32_t source_host, std::uint32_t destination_host,
                               LinkSpeed speed) {
  for (const std::uint32_t host : {source_host, destination_host}) {
    if (host < host_count_) continue;
    throw UsageError("there is no host " + std::to_string(host), "ConstantNetwork::set_pair",
                     "hosts are numbered from 0 to " + std::to_string(host_count_ - 1));
  }
  if (speed.latency < VirtualDuration::zero()) {
    throw UsageError("a latency cannot be negative", "ConstantNetwork::set_pair", "give 0 or more");
  }
  pairs_[pair_key(source_host, destination_host)] = speed;
}

void ConstantNetwork::start(const Transfer& transfer, VirtualTime now,
                            std::vector<ArrivalDate>& dates) {
  const VirtualDuration span =
      speed(transfer.source_host, transfer.destination_host).duration(transfer.size_bytes);
  dates.push_back({transfer.id, now + span});
  if (traffic_) traffic_->count(transfer);
}

const LinkSpeed& ConstantNetwork::speed(std::uint32_t source, std::uint32_t destination) const {
  if (!pairs_.empty()) {
    const auto found = pairs_.find(pair_key(source, destination));
    if (found != pairs_.end()) return found->second;
  }
  return source == destination ? loopback_ : default_;
}

}  // namespace orrery
