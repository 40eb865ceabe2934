#include "host_traffic.hpp"

#include <utility>

namespace orrery::detail {

HostTraffic::Host& HostTraffic::host(std::uint32_t index) {
  if (index >= hosts_.size()) hosts_.resize(std::size_t{index} + 1);
  return hosts_[index];
}

void HostTraffic::count(const Transfer& transfer) {
  const auto add = [&transfer](Traffic& traffic) {
    ++traffic.messages;
    traffic.bytes += transfer.size_bytes;
  };
  if (transfer.source_host == transfer.destination_host) {
    return add(host(transfer.source_host).local);
  }
  add(host(transfer.source_host).sent);
  add(host(transfer.destination_host).received);
}

void HostTraffic::append_to(NetworkStatistics& statistics, const NetworkModel& network) const {
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    if (host.sent.messages + host.received.messages + host.local.messages == 0) continue;
    NetworkNic nic;
    nic.host = network.host(static_cast<std::uint32_t>(i)).name;
    nic.sent = host.sent;
    nic.received = host.received;
    nic.local = host.local;
    statistics.nics.push_back(std::move(nic));
  }
}

}  // namespace orrery::detail
