#include "bandwidth_sharing.hpp"

#include <algorithm>

namespace orrery::detail {

BandwidthSharing::BandwidthSharing(std::vector<Link> links)
    : given_(std::move(links)), links_(given_.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].bandwidth = given_[i].bandwidth_bytes_per_second;
    links_[i].last_bandwidth = links_[i].bandwidth;
  }
}

BandwidthSharing::BandwidthSharing(std::vector<Link> links, const Weights& weights)
    : BandwidthSharing(std::move(links)) {
  weights_ = weights;
  is_weighted_ = true;
}

void BandwidthSharing::reset() {
  // Only what a run has touched: a search resets a large platform before each of many short runs.
  for (const std::uint32_t link : used_links_) {
    LinkState& state = links_[link];
    state.crossings.clear();
    state.has_changed = false;
    state.is_used = false;
    state.bandwidth = given_[link].bandwidth_bytes_per_second;
    state.last_bandwidth = state.bandwidth;
  }
  used_links_.clear();
  free_flows_.clear();
  for (std::size_t i = flows_.size(); i-- > 0;) {
    flows_[i].has_moved = false;
    free_flows_.push_back(static_cast<FlowIndex>(i));
  }
  ends_.clear();
  moved_.clear();
  changed_links_.clear();
  new_flows_.clear();
  next_order_ = 0;
  forgotten_ = 0;
}

BandwidthSharing::FlowIndex BandwidthSharing::new_flow(double bytes, VirtualTime now,
                                                       VirtualTime end) {
  FlowIndex index = 0;
  if (free_flows_.empty()) {
    index = static_cast<FlowIndex>(flows_.size());
    flows_.emplace_back();
  } else {
    index = free_flows_.back();
    free_flows_.pop_back();
  }
  Flow& flow = flows_[index];
  flow.hops.clear();
  flow.fat_pipes.clear();
  flow.bound = no_bound;
  flow.penalty = 1;
  flow.remaining_bytes = bytes;
  flow.rate = 0;
  flow.since = now;
  flow.end = end;
  flow.order = next_order_++;
  flow.is_new = false;
  flow.is_waiting = false;
  flow.is_on_links = false;
  flow.is_forgotten = false;
  flow.heap_place = static_cast<std::uint32_t>(ends_.size());
  ends_.push_back(index);
  sift_up(flow.heap_place);
  return index;
}

BandwidthSharing::FlowIndex BandwidthSharing::start(std::span<const std::uint32_t> route,
                                                    double bytes, VirtualTime now) {
  const FlowIndex index = new_flow(bytes, now, VirtualTime::never());
  Flow& flow = flows_[index];
  for (const std::uint32_t link : route) {
    if (given_[link].is_fat_pipe) {
      flow.fat_pipes.push_back(link);
    } else {
      flow.hops.push_back({link, 0, 1});
    }
  }
  bound_by_fat_pipes(flow);
  flow.is_new = true;
  new_flows_.push_back(index);
  put_on_links(index);
  return index;
}

BandwidthSharing::FlowIndex BandwidthSharing::start(const WeightedFlow& given, VirtualTime now) {
  const bool waits = given.enters > now;
  const FlowIndex index = new_flow(given.bytes, now, waits ? given.enters : VirtualTime::never());
  Flow& flow = flows_[index];
  flow.latency_seconds = given.latency_seconds;
  flow.round_trip_weight = given.latency_seconds;
  flow.bandwidth_bound = no_bound;
  for (const std::uint32_t link : given.route) {
    const double bandwidth = links_[link].last_bandwidth;
    flow.round_trip_weight += weights_.bytes_per_link / bandwidth;
    flow.bandwidth_bound = std::min(flow.bandwidth_bound, bandwidth);
    add_load(flow, link, 1);
  }
  for (const std::uint32_t link : given.way_back) add_load(flow, link, backward_load);
  bound_by_window(flow);
  flow.is_waiting = waits;
  // With SimGrid, a start looks at the links again even if its first byte comes later.
  if (forgotten_ > 0) touch(flow);
  // Without latency SimGrid leaves its penalty at 1.
  if (!waits) put_on_links(index);
  return index;
}

/// A link that is on both ways bears both loads, a fat pipe the greater.
void BandwidthSharing::add_load(Flow& flow, std::uint32_t link, double load) const {
  for (Hop& hop : flow.hops) {
    if (hop.link != link) continue;
    hop.load = given_[link].is_fat_pipe ? std::max(hop.load, load) : hop.load + load;
    return;
  }
  flow.hops.push_back({link, 0, load});
}

void BandwidthSharing::bound_by_fat_pipes(Flow& flow) const {
  flow.bound = no_bound;
  for (const std::uint32_t link : flow.fat_pipes) {
    flow.bound = std::min(flow.bound, links_[link].bandwidth);
  }
}

void BandwidthSharing::bound_by_window(Flow& flow) const {
  flow.bound = flow.bandwidth_bound;
  if (flow.latency_seconds <= 0) return;
  flow.bound = std::min(flow.bound, weights_.window_bytes / (2.0 * flow.latency_seconds));
}

void BandwidthSharing::put_on_links(FlowIndex index) {
  Flow& flow = flows_[index];
  flow.is_on_links = true;
  for (std::size_t i = 0; i < flow.hops.size(); ++i) {
    Hop& hop = flow.hops[i];
    auto& crossings = links_[hop.link].crossings;
    hop.place = static_cast<std::uint32_t>(crossings.size());
    crossings.push_back({index, static_cast<std::uint32_t>(i)});
    change_link(hop.link);
  }
}

void BandwidthSharing::enter(FlowIndex index) {
  Flow& flow = flows_[index];
  flow.is_waiting = false;
  flow.end = VirtualTime::never();
  sift_down(flow.heap_place);
  if (flow.is_on_links) {
    // Put there early by a change of a link: SimGrid then forgets to count its bytes until
    // something else happens on its links.
    flow.is_forgotten = true;
    ++forgotten_;
    tell_moved(index);
    return;
  }
  flow.penalty = flow.round_trip_weight;
  put_on_links(index);
}

/// Calls `change` for each flow that crosses a link, on whichever way.  SimGrid gives the flow its
/// new penalty at once, even if its first byte has not reached the links.
template <typename Change>
void BandwidthSharing::change_flows_on(std::uint32_t link, Change change) {
  for (const FlowIndex index : ends_) {
    Flow& flow = flows_[index];
    if (std::ranges::find(flow.hops, link, &Hop::link) == flow.hops.end()) continue;
    change(flow);
    flow.penalty = flow.round_trip_weight;
    if (!flow.is_on_links) put_on_links(index);
  }
  change_link(link);
}

void BandwidthSharing::set_bandwidth(std::uint32_t link, double bytes_per_second) {
  LinkState& state = use(link);
  state.bandwidth = bytes_per_second;
  const double before = state.last_bandwidth;
  if (bytes_per_second > 0) state.last_bandwidth = bytes_per_second;
  if (is_weighted_ && weights_.bytes_per_link > 0) {
    const double change =
        weights_.bytes_per_link / state.last_bandwidth - weights_.bytes_per_link / before;
    change_flows_on(link, [change](Flow& flow) { flow.round_trip_weight += change; });
  } else if (is_weighted_ || !given_[link].is_fat_pipe) {
    change_link(link);
  } else {
    for (const FlowIndex index : ends_) {
      Flow& flow = flows_[index];
      if (std::ranges::find(flow.fat_pipes, link) == flow.fat_pipes.end()) continue;
      bound_by_fat_pipes(flow);
      touch(flow);
      if (flow.is_new) continue;
      flow.is_new = true;
      new_flows_.push_back(index);
    }
  }
}

void BandwidthSharing::add_latency(std::uint32_t link, double seconds) {
  change_flows_on(link, [this, seconds](Flow& flow) {
    flow.latency_seconds += seconds;
    flow.round_trip_weight += seconds;
    bound_by_window(flow);
  });
}

bool BandwidthSharing::wake_forgotten() {
  if (forgotten_ == 0 || flows_[ends_.front()].end != VirtualTime::never()) return false;
  bool has_woken = false;
  for (const FlowIndex index : ends_) {
    if (!flows_[index].is_forgotten) continue;
    touch(flows_[index]);
    has_woken = true;
  }
  return has_woken;
}

void BandwidthSharing::remove(FlowIndex index) {
  Flow& flow = flows_[index];
  const std::size_t place = flow.heap_place;
  const FlowIndex last = ends_.back();
  ends_.pop_back();
  if (last != index) {
    put(place, last);
    sift_up(place);
    sift_down(flows_[last].heap_place);
  }
  if (flow.is_on_links) take_off_links(flow);
  if (flow.has_moved) std::erase(moved_, index);
  if (flow.is_new) std::erase(new_flows_, index);
  flow.has_moved = false;
  flow.is_new = false;
  free_flows_.push_back(index);
}

void BandwidthSharing::take_off_links(const Flow& flow) {
  for (const Hop& hop : flow.hops) {
    auto& crossings = links_[hop.link].crossings;
    crossings[hop.place] = crossings.back();
    flows_[crossings[hop.place].flow].hops[crossings[hop.place].hop].place = hop.place;
    crossings.pop_back();
  }
  touch(flow);
}

void BandwidthSharing::touch(const Flow& flow) {
  for (const Hop& hop : flow.hops) change_link(hop.link);
}

void BandwidthSharing::tell_moved(FlowIndex index) {
  Flow& flow = flows_[index];
  if (flow.has_moved) return;
  flow.has_moved = true;
  moved_.push_back(index);
}

void BandwidthSharing::forget_moved() {
  for (const FlowIndex flow : moved_) flows_[flow].has_moved = false;
  moved_.clear();
}

BandwidthSharing::LinkState& BandwidthSharing::use(std::uint32_t link) {
  LinkState& state = links_[link];
  if (!state.is_used) {
    state.is_used = true;
    used_links_.push_back(link);
  }
  return state;
}

void BandwidthSharing::change_link(std::uint32_t link) {
  LinkState& state = use(link);
  if (state.has_changed) return;
  state.has_changed = true;
  changed_links_.push_back(link);
}

// --- the heap of ends -------------------------------------------------------------------------

bool BandwidthSharing::ends_before(FlowIndex a, FlowIndex b) const {
  return flows_[a].end != flows_[b].end ? flows_[a].end < flows_[b].end
                                        : flows_[a].order < flows_[b].order;
}

void BandwidthSharing::put(std::size_t place, FlowIndex flow) {
  ends_[place] = flow;
  flows_[flow].heap_place = static_cast<std::uint32_t>(place);
}

void BandwidthSharing::sift_up(std::size_t place) {
  const FlowIndex flow = ends_[place];
  while (place > 0 && ends_before(flow, ends_[(place - 1) / 2])) {
    put(place, ends_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, flow);
}

void BandwidthSharing::sift_down(std::size_t place) {
  const FlowIndex flow = ends_[place];
  while (true) {
    std::size_t child = 2 * place + 1;
    if (child >= ends_.size()) break;
    if (child + 1 < ends_.size() && ends_before(ends_[child + 1], ends_[child])) ++child;
    if (!ends_before(ends_[child], flow)) break;
    put(place, ends_[child]);
    place = child;
  }
  put(place, flow);
}

}  // namespace orrery::detail
