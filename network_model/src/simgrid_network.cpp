#include <algorithm>
#include <utility>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "bandwidth_sharing.hpp"
#include "host_description.hpp"
#include "host_traffic.hpp"
#include "link_meter.hpp"
#include "seconds.hpp"

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

/// SimGrid's options network/latency-factor, network/bandwidth-factor and network/weight-S.
struct Factors {
  double latency = 1;
  double bandwidth = 1;
  double bytes_per_link = 0;
};

constexpr Factors factors_of(FlowModel model) {
  if (model == FlowModel::lv08) return {13.01, 0.97, 20537};
  return {};
}

/// SimGrid's option network/TCP-gamma: the largest window of TCP, in bytes.
constexpr double window_bytes = 4'194'304;

constexpr auto instant = VirtualDuration::from_picoseconds(1);

/// From a host to itself, if the platform says nothing of it.
VirtualDuration loopback_duration(std::uint64_t bytes) {
  return ConstantNetwork::default_loopback().duration(bytes);
}

std::unique_ptr<detail::BandwidthSharing> sharing_of(const Platform& platform, FlowModel model) {
  if (model == FlowModel::plain) {
    return std::make_unique<detail::BandwidthSharing>(shared_links(platform));
  }
  return std::make_unique<detail::BandwidthSharing>(
      shared_links(platform),
      detail::BandwidthSharing::Weights{factors_of(model).bytes_per_link, window_bytes});
}

}  // namespace

SimGridNetwork::SimGridNetwork(std::shared_ptr<Platform> platform, const FlowSharing& sharing)
    : platform_(std::move(platform)),
      model_(sharing),
      sharing_(sharing_of(*platform_, sharing.model)) {
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
  latency_changes_.clear();
  changed_at_.reset();
  next_event_ = VirtualTime::never();
  if (traffic_) traffic_->reset();
  if (meter_) meter_->reset();
}

HostDescription SimGridNetwork::host(std::uint32_t index) const {
  return detail::description_of(platform_->hosts()[index]);
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
  if (traffic_) traffic_->count(transfer);
  const bool is_plain = model_.model == FlowModel::plain;
  if (!is_plain && model_.has_cross_traffic) {
    way_back_ = platform_->route(transfer.destination_host, transfer.source_host).links;
  }
  const PlatformRoute& route = platform_->route(transfer.source_host, transfer.destination_host);
  if (route.links.empty()) {
    dates.push_back({transfer.id, now + loopback_duration(transfer.size_bytes)});
    return;
  }
  settle(now, dates);
  catch_up(now);
  if (is_plain) {
    start_plain(transfer, route, now, dates);
  } else {
    start_weighted(transfer, route, now, dates);
  }
}

void SimGridNetwork::start_plain(const Transfer& transfer, const PlatformRoute& route,
                                 VirtualTime now, std::vector<ArrivalDate>& dates) {
  const VirtualDuration latency = plain_latency(route);
  if (transfer.size_bytes == 0) {
    dates.push_back({transfer.id, now + latency});
    return;
  }
  const auto flow = sharing_->start(route.links, static_cast<double>(transfer.size_bytes), now);
  if (flow >= flows_.size()) flows_.resize(std::size_t{flow} + 1);
  flows_[flow] = {transfer.id, latency};
  if (meter_) meter_->started(flow, route.links, transfer.size_bytes, now);
  // A date that is too early, to be mended when this date is over: many messages may start at it,
  // and the links are shared among all of them at once.
  changed_at_ = now;
  next_event_ = now + instant;
  dates.push_back({transfer.id, next_event_ + latency});
}

/// The latency is over before a flow shares the links, so nobody else is touched now.
void SimGridNetwork::start_weighted(const Transfer& transfer, const PlatformRoute& route,
                                    VirtualTime now, std::vector<ArrivalDate>& dates) {
  const Factors factors = factors_of(model_.model);
  detail::BandwidthSharing::WeightedFlow given;
  given.latency_seconds = latency_of(route);
  given.enters = now + detail::from_seconds(given.latency_seconds * factors.latency);
  if (transfer.size_bytes == 0) {
    dates.push_back({transfer.id, given.enters});
    return;
  }
  given.route = route.links;
  given.way_back = way_back_;
  given.bytes = static_cast<double>(transfer.size_bytes) / factors.bandwidth;
  const auto flow = sharing_->start(given, now);
  if (flow >= flows_.size()) flows_.resize(std::size_t{flow} + 1);
  flows_[flow] = {transfer.id, VirtualDuration::zero()};
  if (meter_) meter_->started(flow, route.links, transfer.size_bytes, given.enters);
  if (sharing_->has_changes()) {
    changed_at_ = now;
    next_event_ = now + instant;
  }
  next_event_ = std::min(next_event_, std::max(given.enters, now + instant));
  dates.push_back({transfer.id, std::max(given.enters, now + instant) + instant});
}

VirtualDuration SimGridNetwork::latency(std::uint32_t source, std::uint32_t destination) const {
  return plain_latency(platform_->route(source, destination));
}

VirtualDuration SimGridNetwork::plain_latency(const PlatformRoute& route) const {
  return latency_changes_.empty() ? route.latency : detail::from_seconds(latency_of(route));
}

double SimGridNetwork::latency_of(const PlatformRoute& route) const {
  double seconds = route.latency_seconds;
  if (latency_changes_.empty()) return seconds;
  for (const std::uint32_t link : route.links) seconds += latency_changes_[link];
  return std::max(seconds, 0.0);
}

void SimGridNetwork::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  settle(to, dates);
  while (next_event_ <= to) {
    const VirtualTime now = next_event_;
    catch_up(now);
    while (!sharing_->is_idle() && sharing_->end_of(sharing_->first_to_end()) <= now) {
      const auto first = sharing_->first_to_end();
      if (sharing_->is_waiting(first)) {
        sharing_->enter(first);
      } else {
        if (meter_) meter_->ended(first, now);
        sharing_->remove(first);
      }
    }
    sharing_->solve(now);
    if (sharing_->wake_forgotten()) sharing_->solve(now);
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
    if (change.latency) {
      set_latency(change);
    } else {
      sharing_->set_bandwidth(change.link, change.bandwidth_bytes_per_second);
    }
  }
}

/// A message that is under way keeps the latency of its start.
void SimGridNetwork::set_latency(const LinkChange& change) {
  latency_changes_.resize(platform_->links().size());
  const PlatformLink& link = platform_->links()[change.link];
  const double since_start = detail::to_seconds(*change.latency) - detail::to_seconds(link.latency);
  const double before = std::exchange(latency_changes_[change.link], since_start);
  if (model_.model != FlowModel::plain) sharing_->add_latency(change.link, since_start - before);
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
