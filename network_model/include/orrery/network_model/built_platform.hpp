// Platforms that are built in code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery {

/// Hosts, links and routes, one after the other.  All errors are `UsageError`s.
///
///     auto platform = std::make_shared<BuiltPlatform>();
///     const auto a = platform->add_host({"a"});
///     const auto b = platform->add_host({"b"});
///     const auto cable = platform->add_link({"cable", 125e6, 50us});
///     platform->set_route(a, b, {cable});
///     platform->set_route(b, a, {cable});
class BuiltPlatform final : public Platform {
 public:
  /// The links from one host to another, by their numbers; empty: there are none.
  using RouteFunction =
      std::function<std::vector<std::uint32_t>(std::uint32_t source, std::uint32_t destination)>;

  /// Its number.  Names are unique.
  std::uint32_t add_host(PlatformHost host);
  /// Its number.  Bandwidths are positive, latencies not negative.
  std::uint32_t add_link(PlatformLink link);
  /// One direction of one pair.  A host without a route to itself uses its memory.
  void set_route(std::uint32_t source, std::uint32_t destination, std::vector<std::uint32_t> links);
  /// Asked for pairs that have no route of their own.
  void set_routes(RouteFunction routes) { other_routes_ = std::move(routes); }
  /// From a date on; dates do not go back from one call to the next.
  void add_change(const LinkChange& change);

  [[nodiscard]] std::span<const PlatformHost> hosts() const override { return hosts_; }
  [[nodiscard]] std::span<const PlatformLink> links() const override { return links_; }
  [[nodiscard]] const PlatformRoute& route(std::uint32_t source,
                                           std::uint32_t destination) override;
  [[nodiscard]] std::span<const LinkChange> changes_until(VirtualTime) override { return changes_; }
  [[nodiscard]] bool links_change() const override { return !changes_.empty(); }

 private:
  void check_host(std::uint32_t host) const;
  [[nodiscard]] PlatformRoute along(std::vector<std::uint32_t> links) const;

  std::vector<PlatformHost> hosts_;
  std::unordered_set<std::string> names_;  // only looked up
  std::vector<PlatformLink> links_;
  std::unordered_map<std::uint64_t, PlatformRoute> routes_;  // only looked up
  RouteFunction other_routes_;
  std::vector<LinkChange> changes_;
};

/// So many hosts around one switch: each has one link to it and one from it.  A message takes both
/// latencies, and shares the links' bandwidth with what else goes there.
[[nodiscard]] std::shared_ptr<Platform> switched_platform(std::uint32_t host_count,
                                                          const LinkSpeed& link);

}  // namespace orrery
