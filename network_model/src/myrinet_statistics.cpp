// What the stations of a Myrinet have counted, with and without names.
#include <array>
#include <utility>

#include "myrinet_stations.hpp"

namespace orrery::detail {
namespace {

constexpr std::size_t servers_per_nic = 3;

}  // namespace

void MyrinetStations::keep_use_over_time(bool wanted) {
  use_over_time_.clear();
  if (wanted) use_over_time_.resize(servers_per_nic * nics_.size() + links_.size());
  if (fabric_) fabric_->network().keep_statistics(wanted);
}

std::size_t MyrinetStations::server_number(EventKind done, std::uint32_t host) {
  const std::size_t server = done == EventKind::host_done        ? 0
                             : done == EventKind::processor_done ? 1
                                                                 : 2;
  return servers_per_nic * host + server;
}

std::size_t MyrinetStations::link_number(std::size_t link) const {
  return servers_per_nic * nics_.size() + link;
}

MyrinetStatistics MyrinetStations::statistics() const {
  MyrinetStatistics result;
  for (std::uint32_t i = 0; i < host_count_; ++i) {
    const Nic& nic = nics_[i];
    result.nics.push_back({nic.sent, nic.received, nic.local, nic.host.use, nic.processor.use,
                           nic.bus.use, hook_use(i)});
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto part = i / host_count_;
    (part == 0   ? result.from_host
     : part == 1 ? result.to_host
                 : result.between_switches)
        .push_back(links_[i].statistics);
  }
  return result;
}

NetworkStatistics MyrinetStations::named_statistics(const NetworkModel& network) const {
  NetworkStatistics result;
  if (!keeps_use_over_time()) return result;
  for (std::uint32_t i = 0; i < host_count_; ++i) {
    const Nic& nic = nics_[i];
    const VirtualDuration busy = nic.host.use.busy + nic.processor.use.busy + nic.bus.use.busy;
    if (busy == VirtualDuration::zero() && nic.local.messages == 0) continue;
    result.nics.push_back(named_nic(i, network));
  }
  if (fabric_) {
    result.links = fabric_->network().statistics().links;
    return result;
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkStatistics& link = links_[i].statistics;
    if (link.use.busy == VirtualDuration::zero()) continue;
    result.links.push_back(
        {link_name(i, network), link.traffic, link.use, use_over_time_[link_number(i)]});
  }
  return result;
}

NetworkNic MyrinetStations::named_nic(std::uint32_t host, const NetworkModel& network) const {
  const Nic& nic = nics_[host];
  NetworkNic result;
  result.host = network.host(host).name;
  result.sent = nic.sent;
  result.received = nic.received;
  result.local = nic.local;
  const std::array<std::pair<const char*, const Server*>, servers_per_nic> servers{
      {{"host", &nic.host}, {"processor", &nic.processor}, {"bus", &nic.bus}}};
  for (std::size_t i = 0; i < servers.size(); ++i) {
    result.stations.push_back(
        {servers[i].first, servers[i].second->use, use_over_time_[servers_per_nic * host + i]});
  }
  result.hook = hook_use(host);
  return result;
}

std::string MyrinetStations::link_name(std::size_t link, const NetworkModel& network) const {
  const std::size_t part = link / host_count_;
  if (part < 2) {
    const auto host = static_cast<std::uint32_t>(link % host_count_);
    return network.host(host).name + (part == 0 ? "-up" : "-down");
  }
  const std::size_t between = link - std::size_t{2} * host_count_;
  const std::size_t upper = between % cards_.front().parameters().hosts_per_switch;
  return "switch-" + std::to_string(between / cards_.front().parameters().hosts_per_switch) +
         "-from-upper-" + std::to_string(upper);
}

}  // namespace orrery::detail
