#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "seconds.hpp"

namespace orrery {
namespace {

constexpr std::uint64_t pair_of(std::uint32_t source, std::uint32_t destination) {
  return std::uint64_t{source} << 32U | destination;
}

}  // namespace

std::uint32_t BuiltPlatform::add_host(PlatformHost host) {
  if (!names_.insert(host.name).second) {
    throw UsageError("there are two hosts with the name '" + host.name + "'",
                     "BuiltPlatform::add_host", "give each host a name of its own");
  }
  hosts_.push_back(std::move(host));
  return static_cast<std::uint32_t>(hosts_.size() - 1);
}

std::uint32_t BuiltPlatform::add_link(PlatformLink link) {
  const std::string where = "link '" + link.name + "'";
  if (!(link.bandwidth_bytes_per_second > 0) || link.bandwidth_bytes_per_second > 1e18) {
    throw UsageError("a link's bandwidth is more than 0 and at most 10^18 bytes a second", where,
                     "give bandwidth_bytes_per_second, such as 125e6");
  }
  if (link.latency < VirtualDuration::zero()) {
    throw UsageError("a latency cannot be negative", where, "give 0 or more");
  }
  links_.push_back(std::move(link));
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void BuiltPlatform::check_host(std::uint32_t host) const {
  if (host < hosts_.size()) return;
  throw UsageError("there is no host " + std::to_string(host), "BuiltPlatform",
                   "hosts are numbered from 0, in the order in which they are added");
}

PlatformRoute BuiltPlatform::along(std::vector<std::uint32_t> links) const {
  PlatformRoute route;
  for (const std::uint32_t link : links) {
    if (link >= links_.size()) {
      throw UsageError("there is no link " + std::to_string(link), "BuiltPlatform",
                       "links are numbered from 0, in the order in which they are added");
    }
    route.latency += links_[link].latency;
    route.latency_seconds += detail::to_seconds(links_[link].latency);
  }
  route.links = std::move(links);
  return route;
}

void BuiltPlatform::set_route(std::uint32_t source, std::uint32_t destination,
                              std::vector<std::uint32_t> links) {
  check_host(source);
  check_host(destination);
  routes_[pair_of(source, destination)] = along(std::move(links));
}

void BuiltPlatform::add_change(const LinkChange& change) {
  if (change.link >= links_.size() || !(change.bandwidth_bytes_per_second >= 0) ||
      change.latency.value_or(VirtualDuration::zero()) < VirtualDuration::zero() ||
      (!changes_.empty() && change.date < changes_.back().date)) {
    throw UsageError(
        "a change of a link is for a link that exists, to a bandwidth or latency of 0 or more, "
        "and not before the change that was added last",
        "BuiltPlatform::add_change", "add changes in the order of their dates");
  }
  changes_.push_back(change);
}

const PlatformRoute& BuiltPlatform::route(std::uint32_t source, std::uint32_t destination) {
  const std::uint64_t pair = pair_of(source, destination);
  const auto known = routes_.find(pair);
  if (known != routes_.end()) return known->second;
  check_host(source);
  check_host(destination);
  std::vector<std::uint32_t> links;
  if (other_routes_) links = other_routes_(source, destination);
  if (links.empty() && source != destination) {
    throw UsageError("there is no route from host '" + hosts_[source].name + "' to host '" +
                         hosts_[destination].name + "'",
                     "BuiltPlatform", "add one with set_route or set_routes");
  }
  return routes_.emplace(pair, along(std::move(links))).first->second;
}

std::shared_ptr<Platform> switched_platform(std::uint32_t host_count, const LinkSpeed& link) {
  auto platform = std::make_shared<BuiltPlatform>();
  for (std::uint32_t i = 0; i < host_count; ++i) {
    const std::string name = "host-" + std::to_string(i);
    PlatformHost host;
    host.name = name;
    platform->add_host(std::move(host));
    for (const char* const direction : {"up", "down"}) {
      PlatformLink one;
      one.name = name + "-" + direction;
      one.bandwidth_bytes_per_second = static_cast<double>(link.bandwidth_bytes_per_second);
      one.latency = link.latency;
      platform->add_link(std::move(one));
    }
  }
  platform->set_routes([](std::uint32_t source, std::uint32_t destination) {
    if (source == destination) return std::vector<std::uint32_t>{};
    return std::vector<std::uint32_t>{2 * source, 2 * destination + 1};
  });
  return platform;
}

}  // namespace orrery
