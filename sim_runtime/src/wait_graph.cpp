#include "wait_graph.hpp"

#include <algorithm>
#include <deque>

namespace orrery::detail {

bool WaitGraph::is_met(std::size_t waiter, const Need& need, const std::vector<bool>& is_freed,
                       std::size_t freed_count) const {
  if (need.could_buffer) return true;
  if (need.from_anybody) return freed_count > (is_freed[waiter] ? 1U : 0U);
  return std::ranges::any_of(need.from, [&](std::size_t other) { return is_freed[other]; });
}

std::vector<bool> WaitGraph::freed_by_buffers() const {
  std::vector<bool> is_freed(waiters_.size(), false);
  std::size_t freed_count = 0;
  for (std::size_t before = 1; freed_count != before;) {
    before = freed_count;
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      if (is_freed[i]) continue;
      const auto met = [&](const Need& need) { return is_met(i, need, is_freed, freed_count); };
      const Waiter& waiter = waiters_[i];
      is_freed[i] = waiter.one_is_enough ? std::ranges::any_of(waiter.needs, met)
                                         : std::ranges::all_of(waiter.needs, met);
      if (is_freed[i]) ++freed_count;
    }
  }
  return is_freed;
}

std::vector<std::size_t> WaitGraph::circle() const {
  std::vector<std::size_t> shortest;
  for (std::size_t start = 0; start < waiters_.size() && shortest.size() != 1; ++start) {
    std::vector<std::size_t> found = circle_from(start);
    if (found.empty() || (!shortest.empty() && found.size() >= shortest.size())) continue;
    shortest = std::move(found);
  }
  return shortest;
}

std::vector<std::size_t> WaitGraph::circle_from(std::size_t start) const {
  constexpr auto nobody = static_cast<std::size_t>(-1);
  std::vector<std::size_t> came_from(waiters_.size(), nobody);
  std::deque<std::size_t> left{start};
  for (; !left.empty(); left.pop_front()) {
    const std::size_t here = left.front();
    const Waiter& waiter = waiters_[here];
    if (waiter.one_is_enough && waiter.needs.size() > 1) continue;
    for (const Need& need : waiter.needs) {
      if (need.from.size() != 1) continue;
      const std::size_t next = need.from.front();
      if (next == start) {
        std::vector<std::size_t> circle{here};
        while (circle.back() != start) circle.push_back(came_from[circle.back()]);
        std::ranges::reverse(circle);
        return circle;
      }
      // Circles through lower ones are found from there.
      if (next < start || came_from[next] != nobody) continue;
      came_from[next] = here;
      left.push_back(next);
    }
  }
  return {};
}

}  // namespace orrery::detail
