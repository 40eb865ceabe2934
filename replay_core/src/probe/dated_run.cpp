#include <algorithm>
#include <cstring>
#include <utility>

#include <orrery/replay_core/dated_run.hpp>
#include <orrery/sim_runtime/contexts.hpp>

namespace orrery {
namespace {

template <typename Item>
void append(std::vector<std::byte>& bytes, const std::vector<Item>& items) {
  const std::uint64_t count = items.size();
  const std::size_t begin = bytes.size();
  bytes.resize(begin + sizeof count + count * sizeof(Item));
  std::memcpy(bytes.data() + begin, &count, sizeof count);
  if (count > 0) {
    std::memcpy(bytes.data() + begin + sizeof count, items.data(), count * sizeof(Item));
  }
}

template <typename Item>
void take(std::span<const std::byte>& bytes, std::vector<Item>& items) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  items.resize(count);
  if (count > 0) std::memcpy(items.data(), bytes.data(), count * sizeof(Item));
  bytes = bytes.subspan(count * sizeof(Item));
}

using Messages = std::vector<std::uint64_t>;

std::map<std::uint64_t, Messages> by_rank(const DatedRun& run) {
  std::map<std::uint64_t, Messages> result;
  for (const DatedRun::Arrival& one : run.arrivals) result[one.rank].push_back(one.message);
  return result;
}

/// How many of `messages` are left if as few as possible are taken out so that the rest is in the
/// order of `places`.
std::uint64_t in_order(const Messages& messages,
                       const std::unordered_map<std::uint64_t, std::size_t>& places) {
  std::vector<std::size_t> ends;  // of the longest rows: where one of each length ends at best
  for (const std::uint64_t message : messages) {
    const auto place = places.find(message);
    if (place == places.end()) continue;
    const auto end = std::ranges::lower_bound(ends, place->second);
    if (end == ends.end()) {
      ends.push_back(place->second);
    } else {
      *end = place->second;
    }
  }
  return ends.size();
}

}  // namespace

std::vector<std::byte> DatedRun::bytes() const {
  std::vector<std::byte> result;
  append(result, moments);
  append(result, arrivals);
  append(result, takings);
  return result;
}

DatedRun DatedRun::from(std::span<const std::byte> bytes) {
  DatedRun run;
  take(bytes, run.moments);
  take(bytes, run.arrivals);
  take(bytes, run.takings);
  return run;
}

std::uint64_t reordered(const DatedRun& one, const DatedRun& other) {
  std::map<std::uint64_t, Messages> others = by_rank(other);
  std::uint64_t count = 0;
  for (const auto& [rank, messages] : by_rank(one)) {
    const Messages& expected = others[rank];
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t i = 0; i < expected.size(); ++i) places.emplace(expected[i], i);
    std::uint64_t shared = 0;
    for (const std::uint64_t message : messages) shared += places.count(message);
    const std::uint64_t kept = in_order(messages, places);
    // Those of both that are out of order, and those of only one.
    count += shared - kept + (messages.size() - shared) + (expected.size() - shared);
    others.erase(rank);
  }
  for (const auto& [rank, expected] : others) count += expected.size();
  return count;
}

std::uint64_t changed_takings(const DatedRun& one, const DatedRun& other) {
  std::unordered_map<std::uint64_t, std::uint64_t> by_receiver;
  for (const DatedRun::Taking& taking : other.takings)
    by_receiver[taking.receiver] = taking.message;
  std::uint64_t count = 0;
  std::uint64_t shared = 0;
  for (const DatedRun::Taking& taking : one.takings) {
    const auto found = by_receiver.find(taking.receiver);
    shared += found == by_receiver.end() ? 0 : 1;
    count += found == by_receiver.end() || found->second != taking.message ? 1 : 0;
  }
  return count + (by_receiver.size() - shared);
}

DatedRunObserver::DatedRunObserver(const DatedRun* other) : compares_(other != nullptr) {
  if (other == nullptr) return;
  for (const DatedRun::Moment& moment : other->moments) {
    others_[{moment.id, moment.kind}].dates_ps.push_back(moment.date_ps);
  }
}

void DatedRunObserver::begin_run(const RunInfo& info) {
  names_ = info.names;
  run_ = {};
  sent_.clear();
  channels_.clear();
  first_moved_.reset();
  for (auto& [event, dates] : others_) dates.next = 0;
}

void DatedRunObserver::on_event(const Event& event) {
  const std::uint64_t id = event.id.packed();
  if (event.kind == OperationKind::deliver) {
    const auto message = sent_.find(id);
    if (message != sent_.end()) {
      run_.arrivals.push_back({static_cast<std::uint64_t>(event.peer), message->second});
    }
  }
  run_.moments.push_back({id, static_cast<std::uint64_t>(event.kind), event.time.picoseconds()});
  if (compares_ && !first_moved_) compare(event);
}

void DatedRunObserver::compare(const Event& event) {
  const auto found = others_.find({event.id.packed(), static_cast<std::uint64_t>(event.kind)});
  std::optional<std::int64_t> was;
  if (found != others_.end() && found->second.next < found->second.dates_ps.size()) {
    was = found->second.dates_ps[found->second.next++];
  }
  const std::int64_t date = event.time.picoseconds();
  if (was == date) return;
  first_moved_ = {names_->task(event.id.task), name(event.kind), {}, date, was};
  if (event.where != nullptr) first_moved_->place = names_->place(*event.where);
}

void DatedRunObserver::on_matching(const MatchingStep& step) {
  if (!is_of_program(step.context)) return;
  if (step.kind == MatchingStep::Kind::sent) {
    if (step.is_call) return;
    const std::uint32_t number = channels_[{step.source, step.destination}]++;
    const auto source = static_cast<std::uint64_t>(step.source);
    sent_[step.send.packed()] = source << 32U | number;
  } else if (step.kind == MatchingStep::Kind::taken) {
    const auto message = sent_.find(step.send.packed());
    if (message != sent_.end()) {
      run_.takings.push_back({step.receiver.packed(), message->second});
    }
  }
}

}  // namespace orrery
