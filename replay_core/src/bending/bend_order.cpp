#include "bend_order.hpp"

#include <algorithm>
#include <numeric>

namespace orrery::detail {

BendOrder::BendOrder(const StepGraph& graph)
    : graph_(graph), order_(graph.steps().size()), place_(order_.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::iota(place_.begin(), place_.end(), 0U);
}

std::uint32_t BendOrder::message_of(std::uint32_t receiver) const {
  const auto bent = messages_.find(receiver);
  return bent != messages_.end() ? bent->second : graph_.history().receivers()[receiver].message;
}

std::uint32_t BendOrder::taker_of(std::uint32_t message) const {
  const auto bent = takers_.find(message);
  return bent != takers_.end() ? bent->second : graph_.history().messages()[message].taken_by;
}

void BendOrder::exchange(std::uint32_t receiver, std::uint32_t message) {
  const std::uint32_t own = message_of(receiver);
  const std::uint32_t other = taker_of(message);
  messages_[receiver] = message;
  if (!graph_.history().receivers()[receiver].is_probe) takers_[message] = receiver;
  if (other == nobody || other == receiver) {
    if (own != nobody && own != message) takers_[own] = nobody;
    return;
  }
  const bool fits = own != nobody &&
                    graph_.history().receivers()[other].matches(graph_.history().messages()[own]);
  messages_[other] = fits ? own : nobody;
  if (own != nobody) takers_[own] = fits ? other : nobody;
}

void BendOrder::require(std::uint32_t first, std::uint32_t then, StepOrder order,
                        std::uint32_t about) {
  required_[then].push_back({first, order, about});
}

template <typename Look>
void BendOrder::for_each_edge(std::uint32_t step, const Aim& aim, Look look) const {
  for (StepEdge edge : graph_.edges_to(step)) {
    // A message that goes to another receive than it did.
    if (step == aim.goal && edge.order == StepOrder::served) continue;
    const auto bent = edge.about == nobody ? messages_.end() : messages_.find(edge.about);
    const bool is_bent = bent != messages_.end();
    // A receive that does not block begins without the message that it did get.
    const bool is_begun = edge.about != nobody && step == graph_.begin(edge.about) &&
                          graph_.steps()[step].kind == OperationKind::post_receive;
    if (is_begun && (is_bent || edge.about == aim.receiver)) continue;
    if (is_bent) {
      if (edge.order != StepOrder::received || bent->second == nobody) continue;
      edge.from = graph_.delivery(bent->second);
      if (edge.from == nobody || edge.from == step) continue;
    }
    look(edge);
  }
  const auto found = required_.find(step);
  if (found == required_.end()) return;
  for (const StepEdge& edge : found->second) look(edge);
}

BendOrder::Followers BendOrder::followers(const Aim& aim) const {
  Followers found{place_[aim.goal], std::vector<bool>(order_.size()), {}};
  for (const std::uint32_t one : aim.waiting) {
    if (one == aim.goal || !is_before(one, aim.goal)) continue;
    found.contains[one] = true;
    found.begin = std::min(found.begin, place_[one]);
  }
  for (std::uint32_t at = found.begin; at <= place_[aim.goal]; ++at) {
    const std::uint32_t step = order_[at];
    if (found.contains[step]) continue;
    for_each_edge(step, aim, [&](const StepEdge& edge) {
      if (found.contains[step] || is_soft(edge.order) || !found.contains[edge.from]) return;
      found.contains[step] = true;
      found.reached_by.emplace(step, edge);
    });
  }
  return found;
}

StepPath BendOrder::obstacle(const Aim& aim) const {
  const Followers late = followers(aim);
  if (!late.contains[aim.goal]) return {};
  StepPath path;
  std::uint32_t step = aim.goal;
  for (auto edge = late.reached_by.find(step); edge != late.reached_by.end();
       edge = late.reached_by.find(step)) {
    path.steps.push_back(step);
    path.edges.push_back(edge->second);
    step = edge->second.from;
  }
  path.steps.push_back(step);
  std::reverse(path.steps.begin(), path.steps.end());
  std::reverse(path.edges.begin(), path.edges.end());
  return path;
}

void BendOrder::put_first(const Aim& aim, std::uint32_t last, std::uint32_t bend) {
  const Followers late = followers(aim);
  for (const std::uint32_t one : aim.waiting) {
    if (one != aim.goal) require(aim.goal, one, StepOrder::wished, bend);
  }
  std::vector<bool> is_needed(order_.size());
  is_needed[aim.goal] = true;
  for (std::uint32_t at = place_[aim.goal] + 1; at-- > late.begin;) {
    const std::uint32_t step = order_[at];
    if (!is_needed[step]) continue;
    for_each_edge(step, aim, [&](const StepEdge& edge) {
      if (place_[edge.from] < at && !late.contains[edge.from]) is_needed[edge.from] = true;
    });
  }
  const auto begin = order_.begin() + late.begin;
  const auto rest = std::stable_partition(begin, order_.end(),
                                          [&](std::uint32_t step) { return is_needed[step]; });
  if (last != nobody) {
    const auto found = std::find(rest, order_.end(), last);
    if (found != order_.end()) std::rotate(rest, found, found + 1);
  }
  for (std::uint32_t at = late.begin; at < order_.size(); ++at) place_[order_[at]] = at;
}

}  // namespace orrery::detail
