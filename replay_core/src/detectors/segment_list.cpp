#include "segment_list.hpp"

#include <algorithm>
#include <ranges>

namespace orrery::detail {

void SegmentList::clear() {
  held_.clear();
  unknowing_.clear();
  last_needed_.clear();
  index_.end();
  held_count_ = held_bytes_ = 0;
  need_changes_.clear();
  moments_.clear();
  counts_ = {};
}

void SegmentList::add(Segment segment) {
  const std::uint32_t task = segment.task.value;
  if (task >= held_.size()) {
    held_.resize(std::size_t{task} + 1);
    unknowing_.resize(held_.size());
    last_needed_.resize(held_.size());
  }
  counts_.held_max = std::max(counts_.held_max, held_count_);
  if (keeps_moments_) moments_.push_back({held_count_, held_bytes_, /*needed=*/0});
  held_bytes_ += segment.used_bytes();
  ++held_count_;
  held_[task].push_back({std::move(segment), counts_.added, /*last_needed=*/0});
  if (index_.is_in_use()) {
    index_.add(held_[task].back().segment, counts_.added, held_[task].front().added);
  }
  ++counts_.added;
  counts_.bytes_max = std::max(counts_.bytes_max, held_bytes_);
  if (!drops_obsolete_) counts_.held_max = held_count_;
}

void SegmentList::drop_first(std::uint32_t task) {
  const Held& one = held_[task].front();
  --held_count_;
  held_bytes_ -= one.segment.used_bytes();
  note_need(one, last_needed_[task], need_changes_);
  held_[task].pop_front();
}

// `last_needed`: of the task's segments before it.
void SegmentList::note_need(const Held& one, std::uint64_t& last_needed, NeedChanges& changes) {
  last_needed = std::max(last_needed, one.last_needed);
  if (last_needed <= one.added) return;  // nobody needed it
  // From the first that ended after it to the last that is parallel.
  changes.resize(std::max<std::size_t>(changes.size(), last_needed + 2));
  ++changes[one.added + 1];
  --changes[last_needed + 1];
}

// All from there on are.  Nobody knows of a segment before it is over, so that it takes only what
// the one at hand knows.
std::size_t SegmentList::first_parallel(std::uint32_t task, const Segment& segment) const {
  const std::deque<Held>& of_task = held_[task];
  if (task == segment.task.value) return of_task.size();
  const std::uint32_t known = segment.clock.of(task);
  const auto first = std::ranges::partition_point(
      of_task, [&](const Held& other) { return other.segment.clock.of(task) <= known; });
  return static_cast<std::size_t>(first - of_task.begin());
}

void SegmentList::find_parallel(const Segment& segment) {
  // So many that the index is worth while, and so few that it is not any more.
  constexpr std::size_t many = 32, few = 16;
  since_.resize(held_.size());
  since_numbers_.resize(held_.size());
  std::size_t count = 0;
  for (std::uint32_t task = 0; task < held_.size(); ++task) {
    std::deque<Held>& of_task = held_[task];
    since_[task] = first_parallel(task, segment);
    since_numbers_[task] = SegmentIndex::none;
    if (since_[task] == of_task.size()) continue;
    Held& first = of_task[since_[task]];
    first.last_needed = counts_.added;
    since_numbers_[task] = first.added;
    count += of_task.size() - since_[task];
  }
  counts_.compared += count;
  if (index_.is_in_use() && (held_count_ < few || index_.is_full(counts_.added))) index_.end();
  if (count < many) return perhaps_.assign(held_.size(), true);
  if (!index_.is_in_use()) begin_index();
  index_.find(segment, since_numbers_, perhaps_);
}

void SegmentList::begin_index() {
  SegmentIndex::Number oldest = counts_.added;
  for (const std::deque<Held>& of_task : held_) {
    if (!of_task.empty()) oldest = std::min(oldest, of_task.front().added);
  }
  index_.begin(oldest);
  for (const std::deque<Held>& of_task : held_) {
    for (const Held& one : of_task) index_.add(one.segment, one.added, of_task.front().added);
  }
}

void SegmentList::forget(AddressRange range) {
  for (std::deque<Held>& of_task : held_) {
    for (Held& one : of_task) one.segment.forget(range);
  }
}

std::vector<std::uint64_t> SegmentList::needed() const {
  NeedChanges changes = need_changes_;
  for (std::size_t task = 0; task < held_.size(); ++task) {
    std::uint64_t last_needed = last_needed_[task];
    for (const Held& one : held_[task]) note_need(one, last_needed, changes);
  }
  std::vector<std::uint64_t> needed(counts_.added);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (i < changes.size()) now += changes[i];
    needed[i] = static_cast<std::uint64_t>(now);
  }
  return needed;
}

std::uint64_t SegmentList::needed_max() const {
  const std::vector<std::uint64_t> all = needed();
  return all.empty() ? 0 : *std::ranges::max_element(all);
}

std::vector<SegmentList::Moment> SegmentList::moments() const {
  std::vector<Moment> moments = moments_;
  const std::vector<std::uint64_t> all = needed();
  for (std::size_t i = 0; i < moments.size(); ++i) moments[i].needed = all[i];
  return moments;
}

}  // namespace orrery::detail
