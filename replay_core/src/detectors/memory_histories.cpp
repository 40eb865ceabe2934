#include "memory_histories.hpp"

#include <algorithm>

namespace orrery::detail {

void MemoryHistories::clear() {
  words_.clear();
  bytes_.clear();
  free_bytes_.clear();
}

void MemoryHistories::to_parts(Word& word, ByteMask bytes, Step step) {
  auto& [first, second] = word.halves;
  if (second.sort() == in_bytes) return to_bytes(word, bytes, step);
  const bool is_whole = second.sort() == whole;
  if (!is_whole && bytes == all_bytes) {
    if (!first.is_empty() || !second.is_empty()) {
      step.to(first);
      step.to(second);
      if (first != second) return;
      second.drop(sets_);
      second = AccessHistory::mark(whole, 0);
      return;
    }
    second = AccessHistory::mark(whole, 0);
    return step.to(first);
  }
  if (is_whole) second = first.part(sets_);
  if (bytes == low_half || bytes == high_half) {
    return step.to(bytes == low_half ? first : second);
  }
  split_into_bytes(word);
  to_bytes(word, bytes, step);
}

void MemoryHistories::split_into_bytes(Word& word) {
  if (free_bytes_.empty()) {
    bytes_.emplace_back();
    free_bytes_.push_back(static_cast<std::uint32_t>(bytes_.size() - 1));
  }
  const std::uint32_t number = free_bytes_.back();
  free_bytes_.pop_back();
  Bytes& all = bytes_[number];
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = word.halves[i / (word_bytes / 2)].part(sets_);
  }
  for (const AccessHistory& half : word.halves) half.drop(sets_);
  word.halves = {AccessHistory{}, AccessHistory::mark(in_bytes, number)};
}

void MemoryHistories::to_bytes(Word& word, ByteMask bytes, const Step& step) {
  Bytes& all = bytes_[word.halves[1].number()];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((bytes >> i & 1U) != 0) step.to(all[i]);
  }
  if (bytes == all_bytes) join_if_alike(word, all);
}

void MemoryHistories::join_if_alike(Word& word, Bytes& all) {
  if (!std::ranges::all_of(all, [&](const AccessHistory& one) { return one == all[0]; })) return;
  for (std::size_t i = 1; i < all.size(); ++i) all[i].drop(sets_);
  free_bytes_.push_back(word.halves[1].number());
  word.halves = {all[0], AccessHistory::mark(whole, 0)};
  all = {};
}

void MemoryHistories::drop(Word& word) {
  word.halves[0].drop(sets_);
  if (word.halves[1].sort() == in_bytes) {
    Bytes& all = bytes_[word.halves[1].number()];
    for (const AccessHistory& one : all) one.drop(sets_);
    all = {};
    free_bytes_.push_back(word.halves[1].number());
  } else {
    word.halves[1].drop(sets_);
  }
  word = {};
}

void MemoryHistories::forget(Address address, std::uint64_t size_bytes) {
  words_.for_each_in((address + word_bytes - 1) & ~(word_bytes - 1),
                     (address + size_bytes) & ~(word_bytes - 1), [this](Word& one) { drop(one); });
}

}  // namespace orrery::detail
