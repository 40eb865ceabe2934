#include "link_meter.hpp"

#include <algorithm>
#include <utility>

namespace orrery::detail {
namespace {

/// `duration * part`, to a picosecond.
VirtualDuration scaled(VirtualDuration duration, double part) {
  const double picoseconds = static_cast<double>(duration.picoseconds()) * part + 0.5;
  if (!(picoseconds < 9.2e18)) return VirtualDuration::max();
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(picoseconds));
}

VirtualDuration time_for(std::uint64_t bytes, double bytes_per_second) {
  return scaled(std::chrono::seconds(1), static_cast<double>(bytes) / bytes_per_second);
}

}  // namespace

LinkMeter::LinkMeter(std::span<const PlatformLink> links) : links_(links), uses_(links.size()) {}

void LinkMeter::reset() {
  flows_.clear();
  for (Use& use : uses_) use = {};
}

void LinkMeter::started(FlowIndex index, std::span<const std::uint32_t> route, std::uint64_t bytes,
                        VirtualTime now) {
  if (index >= flows_.size()) flows_.resize(std::size_t{index} + 1);
  Flow& flow = flows_[index];
  flow.route.clear();
  flow.bytes = bytes;
  flow.begin = flow.since = now;
  flow.rate = 0;
  for (const std::uint32_t link : route) {
    if (std::ranges::find(flow.route, link) != flow.route.end()) continue;
    const double bandwidth = links_[link].bandwidth_bytes_per_second;
    flow.narrowest = flow.route.empty() ? bandwidth : std::min(flow.narrowest, bandwidth);
    flow.route.push_back(link);
    Use& use = uses_[link];
    use.use.longest_queue = std::max(use.use.longest_queue, use.flows++);
  }
}

void LinkMeter::account(Flow& flow, VirtualTime now) {
  for (const std::uint32_t link : flow.route) {
    const VirtualDuration busy =
        scaled(now - flow.since, flow.rate / links_[link].bandwidth_bytes_per_second);
    uses_[link].use.busy += busy;
    uses_[link].over_time.add(flow.since, now, busy);
  }
  flow.since = now;
}

void LinkMeter::rate_changed(FlowIndex index, double bytes_per_second, VirtualTime now) {
  Flow& flow = flows_[index];
  account(flow, now);
  flow.rate = bytes_per_second;
}

void LinkMeter::ended(FlowIndex index, VirtualTime now) {
  Flow& flow = flows_[index];
  account(flow, now);
  const VirtualDuration late = (now - flow.begin) - time_for(flow.bytes, flow.narrowest);
  for (const std::uint32_t link : flow.route) {
    Use& use = uses_[link];
    --use.flows;
    ++use.traffic.messages;
    use.traffic.bytes += flow.bytes;
    use.use.longest_wait = std::max(use.use.longest_wait, late);
  }
}

void LinkMeter::append_to(NetworkStatistics& statistics) const {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Use& use = uses_[i];
    if (use.traffic.messages + use.flows == 0) continue;
    statistics.links.push_back({links_[i].name, use.traffic, use.use, use.over_time});
  }
}

}  // namespace orrery::detail
