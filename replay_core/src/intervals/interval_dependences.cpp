#include "interval_dependences.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

std::uint64_t varint_bytes(std::uint64_t value) {
  return value == 0 ? 1 : static_cast<std::uint64_t>((std::bit_width(value) + 6) / 7);
}

std::uint64_t bytes_of(const std::vector<IntervalId>& intervals) {
  std::uint64_t bytes = varint_bytes(intervals.size());
  IntervalId before;
  for (const IntervalId& id : intervals) {
    const auto ranks = static_cast<std::uint64_t>(id.rank - before.rank);
    bytes += varint_bytes(ranks) + varint_bytes(ranks != 0 ? id.number : id.number - before.number);
    before = id;
  }
  return bytes;
}

}  // namespace

IntervalDependences::Rank& IntervalDependences::at(std::int32_t rank) {
  ensure(rank >= 0, "messages go from one rank to another", rank);
  const auto index = static_cast<std::size_t>(rank);
  while (ranks_.size() <= index) {
    const auto next = static_cast<std::int32_t>(ranks_.size());
    ranks_.emplace_back();
    begin_interval({next, 0});
  }
  return ranks_[index];
}

void IntervalDependences::begin_interval(const IntervalId& id) {
  Rank& rank = at(id.rank);
  auto knowledge = std::make_shared<Knowledge>();
  knowledge->earliest.assign(static_cast<std::size_t>(id.rank) + 1, nothing);
  knowledge->earliest.back() = id.number;
  knowledge->needed = {id};
  rank.interval = id;
  rank.knowledge = std::move(knowledge);
  if (logging_ == MessageLogging::all) {
    for (const auto& [send, message] : rank.coming) rank.in_image[send] = message.sender;
  }
  rank.coming.clear();
  rank.taken.clear();
}

// As Singhal and Kshemkalyani do it (see timestamps.hpp): what has changed since the last message
// to the same rank.  Within an interval components only come to be, or get less, and RS grows.
std::uint64_t IntervalDependences::bytes_between(const Knowledge* last, const Knowledge& now) {
  if (last == &now) return 1;
  std::uint64_t changed = 0;
  std::uint64_t bytes = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < now.earliest.size(); ++i) {
    const bool had = last != nullptr && i < last->earliest.size();
    const std::uint64_t before = had ? last->earliest[i] : nothing;
    if (now.earliest[i] == before) continue;
    bytes += varint_bytes(i - next) + varint_bytes(now.earliest[i] + 1);  // null is 0
    next = i + 1;
    ++changed;
  }
  std::vector<IntervalId> added;
  const bool is_same_interval = last != nullptr && std::ranges::includes(now.needed, last->needed);
  if (is_same_interval) {
    std::ranges::set_difference(now.needed, last->needed, std::back_inserter(added));
  }
  return 1 + varint_bytes(changed) + bytes + bytes_of(is_same_interval ? added : now.needed);
}

void IntervalDependences::sent(OperationId send, std::int32_t source, std::int32_t destination) {
  if (source == destination) return;  // whoever runs the interval again sends it to itself
  at(std::max(source, destination));
  Rank& sender = at(source);
  ++counts_.messages;
  const auto to = static_cast<std::size_t>(destination);
  if (sender.last_sent.size() <= to) sender.last_sent.resize(to + 1);
  counts_.piggybacked_bytes += bytes_between(sender.last_sent[to].get(), *sender.knowledge);
  sender.last_sent[to] = sender.knowledge;
  at(destination).coming[send] = {sender.interval, sender.knowledge, counts_.messages};
}

Reached IntervalDependences::reached(OperationId send, std::int32_t rank) {
  Rank& receiver = at(rank);
  const auto found = receiver.coming.find(send);
  if (found == receiver.coming.end()) return reached_in_image(send, receiver);
  const OnItsWay message = std::move(found->second);
  receiver.coming.erase(found);
  last_sender_ = message.sender;
  Taken& taken = receiver.taken[message.sender];
  taken.from.sender = message.sender;
  ++taken.from.messages;
  if (message.order > taken.last_order) {
    taken.last_order = message.order;
    taken.from.last = send;
  }
  if (logging_ == MessageLogging::all) return Reached::logged;
  const auto own = static_cast<std::size_t>(rank);
  const std::vector<std::uint64_t>& earliest = message.knowledge->earliest;
  if (own < earliest.size() && earliest[own] < receiver.interval.number) return Reached::logged;
  merge(receiver, *message.knowledge);
  return Reached::dependent;
}

// An interval has it from its image; a rank that goes on from its beginning has no image.
Reached IntervalDependences::reached_in_image(OperationId send, Rank& receiver) {
  const auto found = receiver.in_image.find(send);
  if (found == receiver.in_image.end()) return Reached::in_image;
  last_sender_ = found->second;
  receiver.in_image.erase(found);
  return Reached::logged;
}

void IntervalDependences::merge(Rank& receiver, const Knowledge& other) {
  const Knowledge& own = *receiver.knowledge;
  const bool knows_needed = std::ranges::includes(own.needed, other.needed);
  bool knows_earliest = own.earliest.size() >= other.earliest.size();
  for (std::size_t i = 0; knows_earliest && i < other.earliest.size(); ++i) {
    knows_earliest = own.earliest[i] <= other.earliest[i];
  }
  if (knows_needed && knows_earliest) return;
  auto merged = std::make_shared<Knowledge>();
  merged->earliest = own.earliest;
  if (merged->earliest.size() < other.earliest.size()) {
    merged->earliest.resize(other.earliest.size(), nothing);
  }
  for (std::size_t i = 0; i < other.earliest.size(); ++i) {
    merged->earliest[i] = std::min(merged->earliest[i], other.earliest[i]);
  }
  std::ranges::set_union(own.needed, other.needed, std::back_inserter(merged->needed));
  receiver.knowledge = std::move(merged);
}

IntervalId IntervalDependences::current(std::int32_t rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return index < ranks_.size() ? ranks_[index].interval : IntervalId{rank, 0};
}

std::vector<IntervalId> IntervalDependences::needed(std::int32_t rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= ranks_.size()) return {};
  std::vector<IntervalId> needed = ranks_[index].knowledge->needed;
  std::erase(needed, ranks_[index].interval);
  return needed;
}

std::vector<TakenFrom> IntervalDependences::taken(std::int32_t rank) const {
  const auto index = static_cast<std::size_t>(rank);
  std::vector<TakenFrom> all;
  if (index >= ranks_.size()) return all;
  for (const auto& [sender, taken] : ranks_[index].taken) all.push_back(taken.from);
  return all;
}

std::vector<OperationId> IntervalDependences::on_their_way(std::int32_t rank) const {
  const auto index = static_cast<std::size_t>(rank);
  std::vector<OperationId> sends;
  if (index >= ranks_.size()) return sends;
  for (const auto& [send, message] : ranks_[index].coming) sends.push_back(send);
  return sends;
}

}  // namespace orrery::detail
