#include "bandwidth_sharing.hpp"

#include <algorithm>
#include <cmath>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

constexpr double picoseconds_per_second = 1e12;

VirtualDuration time_for(double bytes, double rate) {
  if (bytes <= 0) return VirtualDuration::zero();
  if (rate <= 0) return VirtualDuration::max();
  // Up to a whole picosecond, unless that is only a rounding error away.
  constexpr double tolerance = 1e-3;
  const double picoseconds = std::ceil(bytes / rate * picoseconds_per_second - tolerance);
  if (picoseconds >= 9.2e18) return VirtualDuration::max();
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(picoseconds));
}

}  // namespace

BandwidthSharing::BandwidthSharing(std::vector<Link> links)
    : given_(std::move(links)), links_(given_.size()) {
  reset();
}

void BandwidthSharing::reset() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].bandwidth = given_[i].bandwidth_bytes_per_second;
    links_[i].crossings.clear();
    links_[i].has_changed = false;
  }
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
}

BandwidthSharing::FlowIndex BandwidthSharing::new_flow() {
  if (free_flows_.empty()) {
    flows_.emplace_back();
    return static_cast<FlowIndex>(flows_.size() - 1);
  }
  const FlowIndex index = free_flows_.back();
  free_flows_.pop_back();
  return index;
}

BandwidthSharing::FlowIndex BandwidthSharing::start(std::span<const std::uint32_t> route,
                                                    double bytes, VirtualTime now) {
  const FlowIndex index = new_flow();
  Flow& flow = flows_[index];
  flow.hops.clear();
  flow.bound = no_bound;
  flow.remaining_bytes = bytes;
  flow.rate = 0;
  flow.since = now;
  flow.end = VirtualTime::never();
  flow.order = next_order_++;
  flow.heap_place = static_cast<std::uint32_t>(ends_.size());
  ends_.push_back(index);
  for (const std::uint32_t link : route) {
    LinkState& state = links_[link];
    if (given_[link].is_fat_pipe) {
      flow.bound = flow.bound == no_bound ? state.bandwidth : std::min(flow.bound, state.bandwidth);
      continue;
    }
    const auto hop = static_cast<std::uint32_t>(flow.hops.size());
    flow.hops.push_back({link, static_cast<std::uint32_t>(state.crossings.size())});
    state.crossings.push_back({index, hop});
  }
  flow.is_new = true;
  new_flows_.push_back(index);
  for (const Hop& hop : flow.hops) change_link(hop.link);
  return index;
}

void BandwidthSharing::set_bandwidth(std::uint32_t link, double bytes_per_second) {
  links_[link].bandwidth = bytes_per_second;
  if (!given_[link].is_fat_pipe) change_link(link);  // else for those that start from now on
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
  for (const Hop& hop : flow.hops) {
    auto& crossings = links_[hop.link].crossings;
    crossings[hop.place] = crossings.back();
    flows_[crossings[hop.place].flow].hops[crossings[hop.place].hop].place = hop.place;
    crossings.pop_back();
  }
  for (const Hop& hop : flow.hops) change_link(hop.link);
  if (flow.has_moved) std::erase(moved_, index);
  if (flow.is_new) std::erase(new_flows_, index);
  flow.has_moved = false;
  flow.is_new = false;
  free_flows_.push_back(index);
}

void BandwidthSharing::forget_moved() {
  for (const FlowIndex flow : moved_) flows_[flow].has_moved = false;
  moved_.clear();
}

// --- solving ----------------------------------------------------------------------------------

void BandwidthSharing::change_link(std::uint32_t link) {
  LinkState& state = links_[link];
  if (state.has_changed) return;
  state.has_changed = true;
  changed_links_.push_back(link);
}

void BandwidthSharing::visit_link(std::uint32_t link) {
  LinkState& state = links_[link];
  if (state.visit == visit_) return;
  state.visit = visit_;
  touched_links_.push_back(link);
}

void BandwidthSharing::push_candidate(std::uint32_t link) {
  const LinkState& state = links_[link];
  if (state.unfixed == 0) return;
  candidates_.push_back({std::max(0.0, state.free) / state.unfixed, link});
  std::push_heap(candidates_.begin(), candidates_.end());
}

/// Everything that a shared link joins to a change.
void BandwidthSharing::collect_touched() {
  ++visit_;
  for (const std::uint32_t link : changed_links_) {
    links_[link].has_changed = false;
    visit_link(link);
  }
  for (const FlowIndex index : new_flows_) {
    flows_[index].is_new = false;
    flows_[index].visit = visit_;
    touched_flows_.push_back(index);
  }
  changed_links_.clear();
  new_flows_.clear();
  for (std::size_t i = 0; i < touched_links_.size(); ++i) {
    LinkState& state = links_[touched_links_[i]];
    state.free = state.bandwidth;
    state.unfixed = static_cast<std::uint32_t>(state.crossings.size());
    for (const Crossing& crossing : state.crossings) {
      Flow& flow = flows_[crossing.flow];
      if (flow.visit == visit_) continue;
      flow.visit = visit_;
      touched_flows_.push_back(crossing.flow);
      for (const Hop& hop : flow.hops) visit_link(hop.link);
    }
  }
}

void BandwidthSharing::solve(VirtualTime now) {
  collect_touched();
  for (const FlowIndex index : touched_flows_) {
    flows_[index].is_fixed = false;
    if (flows_[index].bound != no_bound) by_bound_.push_back(index);
  }
  std::ranges::sort(by_bound_, [this](FlowIndex a, FlowIndex b) {
    return flows_[a].bound != flows_[b].bound ? flows_[a].bound < flows_[b].bound
                                              : flows_[a].order < flows_[b].order;
  });
  for (const std::uint32_t link : touched_links_) push_candidate(link);

  auto next_bound = by_bound_.begin();
  std::size_t left = touched_flows_.size();
  while (left > 0) {
    while (next_bound != by_bound_.end() && flows_[*next_bound].is_fixed) ++next_bound;
    while (!candidates_.empty()) {
      // What was pushed before a flow of the link was fixed is out of date.
      const Candidate& top = candidates_.front();
      const LinkState& state = links_[top.link];
      if (state.unfixed > 0 && top.share == std::max(0.0, state.free) / state.unfixed) break;
      std::pop_heap(candidates_.begin(), candidates_.end());
      candidates_.pop_back();
    }
    const bool has_link = !candidates_.empty();
    const bool has_bound = next_bound != by_bound_.end();
    ensure(has_link || has_bound, "every flow crosses a link");
    if (has_bound && (!has_link || flows_[*next_bound].bound <= candidates_.front().share)) {
      fix(*next_bound, flows_[*next_bound].bound, now);
      --left;
      continue;
    }
    const Candidate least = candidates_.front();
    for (const Crossing& crossing : links_[least.link].crossings) {
      if (flows_[crossing.flow].is_fixed) continue;
      fix(crossing.flow, least.share, now);
      --left;
    }
  }
  touched_links_.clear();
  touched_flows_.clear();
  by_bound_.clear();
  candidates_.clear();
}

void BandwidthSharing::fix(FlowIndex index, double rate, VirtualTime now) {
  Flow& flow = flows_[index];
  flow.is_fixed = true;
  for (const Hop& hop : flow.hops) {
    LinkState& state = links_[hop.link];
    state.free -= rate;
    --state.unfixed;
  }
  for (const Hop& hop : flow.hops) push_candidate(hop.link);
  if (rate == flow.rate) return;
  settle(flow, now);
  flow.rate = rate;
  flow.end = now + time_for(flow.remaining_bytes, rate);
  sift_up(flow.heap_place);
  sift_down(flow.heap_place);
  if (flow.has_moved) return;
  flow.has_moved = true;
  moved_.push_back(index);
}

void BandwidthSharing::settle(Flow& flow, VirtualTime now) const {
  const double seconds =
      static_cast<double>((now - flow.since).picoseconds()) / picoseconds_per_second;
  flow.remaining_bytes = std::max(0.0, flow.remaining_bytes - flow.rate * seconds);
  flow.since = now;
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
