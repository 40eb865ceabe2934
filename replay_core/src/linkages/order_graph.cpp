#include "order_graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace orrery::detail {

void OrderGraph::clear() {
  nodes_ = 0;
  edges_.clear();
}

LargeVector<std::uint32_t> OrderGraph::sort_what_can_be() const {
  // Edges by where they begin: `first[n]` is the first one of node n.
  LargeVector<std::uint32_t> first(std::size_t{nodes_} + 1);
  LargeVector<std::uint32_t> waits_for(nodes_);
  for (const Edge& edge : edges_) {
    ++first[std::size_t{edge.from} + 1];
    ++waits_for[edge.to];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  LargeVector<std::uint32_t> next = first;
  LargeVector<std::uint32_t> targets(edges_.size());
  for (const Edge& edge : edges_) targets[next[edge.from]++] = edge.to;

  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    if (waits_for[node] == 0) ready.push(node);
  }
  LargeVector<std::uint32_t> order;
  order.reserve(nodes_);
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (std::uint32_t i = first[node]; i < first[std::size_t{node} + 1]; ++i) {
      if (--waits_for[targets[i]] == 0) ready.push(targets[i]);
    }
  }
  return order;
}

std::optional<LargeVector<std::uint32_t>> OrderGraph::sorted() const {
  LargeVector<std::uint32_t> order = sort_what_can_be();
  if (order.size() < nodes_) return std::nullopt;
  return order;
}

std::vector<OrderGraph::Edge> OrderGraph::cycle() const {
  std::vector<bool> is_sorted(nodes_);
  for (const std::uint32_t node : sort_what_can_be()) is_sorted[node] = true;
  // Each node that is left waits for another one that is: going backwards ends in a cycle.
  std::vector<const Edge*> into(nodes_);
  const Edge* last = nullptr;
  for (const Edge& edge : edges_) {
    if (is_sorted[edge.from] || is_sorted[edge.to]) continue;
    into[edge.to] = last = &edge;
  }
  if (last == nullptr) return {};
  std::vector<bool> was_seen(nodes_);
  std::uint32_t node = last->to;
  for (; !was_seen[node]; node = into[node]->from) was_seen[node] = true;
  std::vector<Edge> edges;
  const std::uint32_t start = node;
  do {
    edges.push_back(*into[node]);
    node = into[node]->from;
  } while (node != start);
  std::ranges::reverse(edges);
  return edges;
}

}  // namespace orrery::detail
