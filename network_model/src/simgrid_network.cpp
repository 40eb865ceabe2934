#include <algorithm>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "bandwidth_sharing.hpp"
#include "host_traffic.hpp"
#include "link_meter.hpp"

namespace orrery {
namespace {

std::vector<detail::BandwidthSharing::Link> shared_links(const Platform& platform) {
  std::vector<detail::BandwidthSharing::Link> links;
  links.reserve(platform.links().size());
  for (const PlatformLink& link : platform.links()) {
    links.push_back({link.bandwidth_bytes_per_second, link.sharing == LinkSharing::fat_pipe});
  }
  return links;
}

}  // namespace

SimGridNetwork::SimGridNetwork(std::shared_ptr<Platform> platform)
    : platform_(std::move(platform)),
      sharing_(std::make_unique<detail::BandwidthSharing>(shared_links(*platform_))) {
  if (platform_->hosts().empty()) {
    throw UsageError("a platform needs at least one host", "SimGridNetwork",
                     "add a <host> or <cluster> to it");
  }
}

SimGridNetwork::~SimGridNetwork() = default;

std::uint32_t SimGridNetwork::host_count() const {
  return static_cast<std::uint32_t>(platform_->hosts().size());
}

void SimGridNetwork::reset() {
  sharing_->reset();
  changes_done_ = 0;
  changed_at_.reset();
  next_event_ = VirtualTime::never();
  if (traffic_) traffic_->reset();
  if (meter_) meter_->reset();
}

HostDescription SimGridNetwork::host(std::uint32_t index) const {
  const PlatformHost& host = platform_->hosts()[index];
  HostDescription description;
  description.name = host.name;
  return description;
}

void SimGridNetwork::keep_statistics(bool wanted) {
  traffic_ = wanted ? std::make_unique<detail::HostTraffic>() : nullptr;
  meter_ = wanted ? std::make_unique<detail::LinkMeter>(platform_->links()) : nullptr;
}

NetworkStatistics SimGridNetwork::statistics() const {
  NetworkStatistics result;
  if (!meter_) return result;
  traffic_->append_to(result, *this);
  meter_->append_to(result);
  return result;
}

void SimGridNetwork::start(const Transfer& transfer, VirtualTime now,
                           std::vector<ArrivalDate>& dates) {
  const PlatformRoute& route = platform_->route(transfer.source_host, transfer.destination_host);
  if (traffic_) traffic_->count(transfer);
  if (route.links.empty()) {
    // A host with itself, of which the platform says nothing.
    const LinkSpeed loopback = ConstantNetwork::default_loopback();
    dates.push_back({transfer.id, now + loopback.duration(transfer.size_bytes)});
    return;
  }
  if (transfer.size_bytes == 0) {
    dates.push_back({transfer.id, now + route.latency});
    return;
  }
  settle(now, dates);
  catch_up(now);
  const auto flow = sharing_->start(route.links, static_cast<double>(transfer.size_bytes), now);
  if (flow >= flows_.size()) flows_.resize(std::size_t{flow} + 1);
  flows_[flow] = {transfer.id, route.latency};
  if (meter_) meter_->started(flow, route.links, transfer.size_bytes, now);
  // A date that is too early, to be mended when this date is over: many messages may start at it,
  // and the links are shared among all of them at once.
  constexpr auto instant = VirtualDuration::from_picoseconds(1);
  changed_at_ = now;
  next_event_ = now + instant;
  dates.push_back({transfer.id, next_event_ + route.latency});
}

void SimGridNetwork::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  settle(to, dates);
  while (next_event_ <= to) {
    const VirtualTime now = next_event_;
    catch_up(now);
    while (!sharing_->is_idle() && sharing_->end_of(sharing_->first_to_end()) <= now) {
      if (meter_) meter_->ended(sharing_->first_to_end(), now);
      sharing_->remove(sharing_->first_to_end());
    }
    sharing_->solve(now);
    report_moved(now, dates);
    find_next_event();
  }
}

/// Shares the links among what was started at an earlier date.
void SimGridNetwork::settle(VirtualTime now, std::vector<ArrivalDate>& dates) {
  if (!changed_at_ || now <= *changed_at_) return;
  sharing_->solve(*changed_at_);
  report_moved(*changed_at_, dates);
  changed_at_.reset();
  find_next_event();
}

/// Links change whether anybody looks or not.
void SimGridNetwork::catch_up(VirtualTime now) {
  const auto changes = platform_->changes_until(now);
  for (; changes_done_ < changes.size() && changes[changes_done_].date <= now; ++changes_done_) {
    const LinkChange& change = changes[changes_done_];
    sharing_->set_bandwidth(change.link, change.bandwidth_bytes_per_second);
  }
}

void SimGridNetwork::report_moved(VirtualTime now, std::vector<ArrivalDate>& dates) {
  for (const auto flow : sharing_->moved()) {
    if (meter_) meter_->rate_changed(flow, sharing_->rate_of(flow), now);
    dates.push_back({flows_[flow].transfer, sharing_->end_of(flow) + flows_[flow].latency});
  }
  sharing_->forget_moved();
}

void SimGridNetwork::find_next_event() {
  next_event_ = VirtualTime::never();
  if (sharing_->is_idle()) return;  // a change of a link is nothing to wait for
  next_event_ = sharing_->end_of(sharing_->first_to_end());
  const auto changes = platform_->changes_until(next_event_);
  if (changes_done_ < changes.size()) {
    next_event_ = std::min(next_event_, changes[changes_done_].date);
  }
}

}  // namespace orrery
