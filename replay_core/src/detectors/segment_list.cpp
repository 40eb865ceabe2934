#include "segment_list.hpp"

namespace orrery::detail {

void SegmentList::clear() {
  held_.clear();
  unknowing_.clear();
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
  }
  counts_.held_max = std::max(counts_.held_max, held_count_);
  if (keeps_moments_) moments_.push_back({held_count_, held_bytes_, /*needed=*/0});
  held_bytes_ += segment.used_bytes();
  ++held_count_;
  held_[task].push_back({std::move(segment), counts_.added, counts_.added});
  ++counts_.added;
  counts_.bytes_max = std::max(counts_.bytes_max, held_bytes_);
  if (!drops_obsolete_) counts_.held_max = held_count_;
}

void SegmentList::drop(const Held& one) {
  --held_count_;
  held_bytes_ -= one.segment.used_bytes();
  note_need(one);
}

void SegmentList::note_need(const Held& one) {
  if (one.last_needed == one.added) return;  // nobody needed it
  need_changes_.resize(std::max<std::size_t>(need_changes_.size(), one.last_needed + 1));
  ++need_changes_[one.added];
  --need_changes_[one.last_needed];
}

void SegmentList::forget(AddressRange range) {
  for (std::deque<Held>& of_task : held_) {
    for (Held& one : of_task) one.segment.forget(range);
  }
}

std::vector<std::uint64_t> SegmentList::needed() const {
  SegmentList all(drops_obsolete_, /*keeps_moments=*/false);
  all.need_changes_ = need_changes_;
  for (const std::deque<Held>& of_task : held_) {
    for (const Held& one : of_task) all.note_need(one);
  }
  std::vector<std::uint64_t> needed(counts_.added);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (i < all.need_changes_.size()) now += all.need_changes_[i];
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
