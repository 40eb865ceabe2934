// What flows did to the links of a platform.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <orrery/network_model/network_statistics.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery::detail {

/// Is told when a flow starts, gets another rate, and ends; adds its bytes up on each link of its
/// route.  Costs as much as a few looks at each of these links.
class LinkMeter {
 public:
  using FlowIndex = std::uint32_t;

  explicit LinkMeter(std::span<const PlatformLink> links);
  void reset();

  void started(FlowIndex flow, std::span<const std::uint32_t> route, std::uint64_t bytes,
               VirtualTime now);
  void rate_changed(FlowIndex flow, double bytes_per_second, VirtualTime now);
  void ended(FlowIndex flow, VirtualTime now);

  /// Adds the links that were used, in the platform's order, under its names.
  void append_to(NetworkStatistics& statistics) const;

 private:
  struct Flow {
    std::vector<std::uint32_t> route;  // each link once
    std::uint64_t bytes = 0;
    VirtualTime begin;
    VirtualTime since;  // at the present rate
    double rate = 0;
    double narrowest = 0;  // the bandwidth that it would have alone
  };
  struct Use {
    Traffic traffic;
    StationUse use;
    UseOverTime over_time;
    std::uint64_t flows = 0;  // at present
  };
  void account(Flow& flow, VirtualTime now);

  std::span<const PlatformLink> links_;
  std::vector<Flow> flows_;
  std::vector<Use> uses_;
};

}  // namespace orrery::detail
