#include "segment_index.hpp"

#include <algorithm>

namespace orrery::detail {

void SegmentIndex::begin(Number first) {
  words_.clear();
  large_.clear();
  first_ = first;
  is_in_use_ = true;
}

void SegmentIndex::note(Word& word, std::uint32_t task, Short number, Short oldest,
                        std::uint64_t accessed, std::uint64_t written) {
  auto& [one, other] = word.latest;
  Latest* own = one.number == 0 || one.task == task ? &one : &other;
  if (own->number != 0 && own->task != task) {
    if (one.number < other.number) own = &one;
    word.forgotten = std::max(word.forgotten, own->number);
    *own = {};
  }
  // What is not held any more does not count.
  if (own->number < oldest) *own = {};
  own->accessed |= accessed;
  own->written |= written;
  own->number = number;
  own->task = task;
}

void SegmentIndex::add(const Segment& segment, Number number, Number oldest) {
  const std::uint32_t task = segment.task.value;
  const Short of_segment = short_of(number);
  if (segment.word_count() > words_max) {
    large_.resize(std::max<std::size_t>(large_.size(), std::size_t{task} + 1));
    large_[task] = of_segment;
    return;
  }
  const Short of_oldest = short_of(oldest);
  segment.reads.for_each_used([&](Address word, std::uint64_t bits) {
    note(at(word), task, of_segment, of_oldest, bits, 0);
  });
  segment.writes.for_each_used([&](Address word, std::uint64_t bits) {
    note(at(word), task, of_segment, of_oldest, bits, bits);
  });
}

void SegmentIndex::find(const Segment& segment, const std::vector<Number>& since,
                        std::vector<bool>& perhaps) {
  constexpr Short never = std::numeric_limits<Short>::max();
  since_.assign(since.size(), never);
  perhaps.assign(since.size(), false);
  Short earliest = never;
  for (std::size_t task = 0; task < since.size(); ++task) {
    if (since[task] == none) continue;
    since_[task] = short_of(since[task]);
    earliest = std::min(earliest, since_[task]);
    if (task < large_.size() && large_[task] >= since_[task]) perhaps[task] = true;
  }
  bool has_forgotten = segment.word_count() > words_max;
  const auto look = [&](Address address, std::uint64_t accessed, std::uint64_t written) {
    const Word& word = at(address);
    has_forgotten |= word.forgotten >= earliest;
    for (const Latest& one : word.latest) {
      if (((one.accessed & written) | (one.written & accessed)) == 0) continue;
      if (one.task < since_.size() && one.number >= since_[one.task]) perhaps[one.task] = true;
    }
  };
  if (!has_forgotten) {
    segment.reads.for_each_used(
        [&](Address word, std::uint64_t bits) { look(word, bits, /*written=*/0); });
    segment.writes.for_each_used([&](Address word, std::uint64_t bits) { look(word, bits, bits); });
  }
  if (!has_forgotten) return;
  for (std::size_t task = 0; task < since.size(); ++task) perhaps[task] = since[task] != none;
}

}  // namespace orrery::detail
