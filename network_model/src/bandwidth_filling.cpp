// One solution: who is joined to a change, and what each of them gets.
#include <algorithm>
#include <cmath>

#include <orrery/network_model/usage_error.hpp>

#include "bandwidth_sharing.hpp"
#include "seconds.hpp"

namespace orrery::detail {
namespace {

/// SimGrid's maxmin/precision: a link of which less is left than this part of its bandwidth, or
/// whose flows use less than this, has nothing to say any more.
constexpr double negligible = 1e-5;

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

void BandwidthSharing::visit_link(std::uint32_t link) {
  LinkState& state = links_[link];
  if (state.visit == visit_) return;
  state.visit = visit_;
  touched_links_.push_back(link);
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

/// What the flows of a link use at a level (rate times penalty) of 1: all together, or, of a fat
/// pipe, the one that uses most.
void BandwidthSharing::collect_usage() {
  for (const std::uint32_t link : touched_links_) {
    if (given_[link].is_fat_pipe) {
      find_usage_of_fat_pipe(link);
      continue;
    }
    LinkState& state = links_[link];
    state.usage = 0;
    for (const Crossing& crossing : state.crossings) {
      const Flow& flow = flows_[crossing.flow];
      state.usage += flow.hops[crossing.hop].load / flow.penalty;
    }
  }
}

void BandwidthSharing::find_usage_of_fat_pipe(std::uint32_t link) {
  LinkState& state = links_[link];
  state.usage = 0;
  for (const Crossing& crossing : state.crossings) {
    const Flow& flow = flows_[crossing.flow];
    if (flow.is_fixed) continue;
    state.usage = std::max(state.usage, flow.hops[crossing.hop].load / flow.penalty);
  }
}

void BandwidthSharing::order_by_bound() {
  for (const FlowIndex index : touched_flows_) {
    flows_[index].is_fixed = false;
    if (flows_[index].bound != no_bound) by_bound_.push_back(index);
  }
  std::ranges::sort(by_bound_, [this](FlowIndex a, FlowIndex b) {
    const double level_a = flows_[a].bound * flows_[a].penalty;
    const double level_b = flows_[b].bound * flows_[b].penalty;
    return level_a != level_b ? level_a < level_b : flows_[a].order < flows_[b].order;
  });
}

bool BandwidthSharing::has_share(const LinkState& state) const {
  if (state.unfixed == 0) return false;
  if (!is_weighted_ || state.bandwidth == 0) return true;
  return state.usage > negligible && state.free > negligible * state.bandwidth;
}

double BandwidthSharing::share_of(const LinkState& state) const {
  return std::max(0.0, state.free) / (is_weighted_ ? state.usage : state.unfixed);
}

void BandwidthSharing::push_candidate(std::uint32_t link, double share) {
  links_[link].candidate_share = share;
  candidates_.push_back({share, link});
  std::push_heap(candidates_.begin(), candidates_.end());
}

/// A link's share grows as flows are fixed, so what the heap says of it may be too little: that is
/// mended when it comes to the top.  Only rounding can make it too much.
void BandwidthSharing::lower_candidate(std::uint32_t link) {
  const LinkState& state = links_[link];
  if (!has_share(state)) return;
  const double share = share_of(state);
  if (share < state.candidate_share) push_candidate(link, share);
}

void BandwidthSharing::refresh_first_candidate() {
  while (!candidates_.empty()) {
    const Candidate top = candidates_.front();
    const LinkState& state = links_[top.link];
    const bool is_of_use = top.share == state.candidate_share && has_share(state);
    if (is_of_use && top.share == share_of(state)) return;
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    if (is_of_use) push_candidate(top.link, share_of(state));
  }
}

void BandwidthSharing::collect_candidates() {
  for (const std::uint32_t link : touched_links_) {
    LinkState& state = links_[link];
    if (!has_share(state)) continue;
    state.candidate_share = share_of(state);
    candidates_.push_back({state.candidate_share, link});
  }
  std::make_heap(candidates_.begin(), candidates_.end());
}

void BandwidthSharing::solve(VirtualTime now) {
  collect_touched();
  order_by_bound();
  if (is_weighted_) collect_usage();
  collect_candidates();

  auto next_bound = by_bound_.begin();
  std::size_t left = touched_flows_.size();
  while (left > 0) {
    while (next_bound != by_bound_.end() && flows_[*next_bound].is_fixed) ++next_bound;
    refresh_first_candidate();
    const bool has_link = !candidates_.empty();
    const bool has_bound = next_bound != by_bound_.end();
    ensure(has_link || has_bound, "every flow crosses a link");
    if (has_bound) {
      Flow& flow = flows_[*next_bound];
      if (!has_link || flow.bound * flow.penalty < candidates_.front().share) {
        flow.is_fixed = true;
        fix(*next_bound, flow.bound, now);
        --left;
        continue;
      }
    }
    left -= fix_saturated(now);
  }
  touched_links_.clear();
  touched_flows_.clear();
  by_bound_.clear();
  candidates_.clear();
}

/// Fixes the flows of the links with the least share; how many these are.
std::size_t BandwidthSharing::fix_saturated(VirtualTime now) {
  const double least = candidates_.front().share;
  saturated_.clear();
  while (!candidates_.empty() && candidates_.front().share == least) {
    for (const Crossing& crossing : links_[candidates_.front().link].crossings) {
      Flow& flow = flows_[crossing.flow];
      if (flow.is_fixed) continue;
      flow.is_fixed = true;
      saturated_.push_back(crossing.flow);
    }
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    refresh_first_candidate();
  }
  for (const FlowIndex index : saturated_) fix(index, least / flows_[index].penalty, now);
  return saturated_.size();
}

void BandwidthSharing::fix(FlowIndex index, double rate, VirtualTime now) {
  Flow& flow = flows_[index];
  if (is_weighted_) {
    use_weighted(flow, rate);
  } else {
    for (const Hop& hop : flow.hops) {
      LinkState& state = links_[hop.link];
      state.free -= rate;
      --state.unfixed;
    }
  }
  for (const Hop& hop : flow.hops) lower_candidate(hop.link);
  if (flow.is_forgotten) {
    flow.is_forgotten = false;
    --forgotten_;
  }
  if (rate == flow.rate || flow.is_waiting) return;
  settle(flow, now);
  flow.rate = rate;
  flow.end = now + time_for(flow.remaining_bytes, rate);
  sift_up(flow.heap_place);
  sift_down(flow.heap_place);
  tell_moved(index);
}

void BandwidthSharing::use_weighted(const Flow& flow, double rate) {
  for (const Hop& hop : flow.hops) {
    LinkState& state = links_[hop.link];
    const double usage = hop.load / flow.penalty;
    --state.unfixed;
    if (given_[hop.link].is_fat_pipe) {
      if (usage >= state.usage) find_usage_of_fat_pipe(hop.link);
      continue;
    }
    state.free -= hop.load * rate;
    state.usage -= usage;
  }
}

void BandwidthSharing::settle(Flow& flow, VirtualTime now) const {
  const double seconds =
      static_cast<double>((now - flow.since).picoseconds()) / picoseconds_per_second;
  flow.remaining_bytes = std::max(0.0, flow.remaining_bytes - flow.rate * seconds);
  flow.since = now;
}

}  // namespace orrery::detail
