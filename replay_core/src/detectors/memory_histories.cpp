#include "memory_histories.hpp"

#include <algorithm>

namespace orrery::detail {

void MemoryHistories::clear() {
  firsts_.clear();
  seconds_.clear();
  bytes_.clear();
  free_bytes_.clear();
}

void MemoryHistories::to_each_part(const MemoryAccess& access, Step step) {
  for_each_part(access.address(), access.size_bytes(), [&](Address address, ByteMask bytes) {
    to(firsts_.at(address), address, bytes, step);
  });
}

void MemoryHistories::to_parts(AccessHistory& first, Address address, ByteMask bytes, Step step) {
  if (first.sort() == in_bytes) return to_bytes(first, bytes, step);
  AccessHistory& second = seconds_.at(address);
  if (first.sort() == whole) {
    first.set_sort(in_halves);
    second = first.part(sets_);
  }
  if (bytes == low_half || bytes == high_half) {
    return step.in_half().to(bytes == low_half ? first : second);
  }
  split_into_bytes(first, second);
  to_bytes(first, bytes, step);
}

void MemoryHistories::to_both_halves(AccessHistory& first, AccessHistory& second, Step step) {
  step.in_half().to(first);
  step.in_half().to(second);
  if (first != second) return;
  second.drop(sets_);
  second = {};
  first.set_sort(whole);
}

void MemoryHistories::split_into_bytes(AccessHistory& first, AccessHistory& second) {
  if (free_bytes_.empty()) {
    bytes_.emplace_back();
    free_bytes_.push_back(static_cast<std::uint32_t>(bytes_.size() - 1));
  }
  const std::uint32_t number = free_bytes_.back();
  free_bytes_.pop_back();
  Bytes& all = bytes_[number];
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = (i < all.size() / 2 ? first : second).part(sets_);
    all[i].set_sort(whole);
  }
  first.drop(sets_);
  second.drop(sets_);
  second = {};
  first = AccessHistory::mark(in_bytes, number);
}

void MemoryHistories::to_bytes(AccessHistory& first, ByteMask bytes, Step step) {
  Bytes& all = bytes_[first.number()];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((bytes >> i & 1U) != 0) step.to(all[i]);
  }
  if (bytes == all_bytes) join_if_alike(first, all);
}

void MemoryHistories::join_if_alike(AccessHistory& first, Bytes& all) {
  if (!std::ranges::all_of(all, [&](const AccessHistory& one) { return one == all[0]; })) return;
  for (std::size_t i = 1; i < all.size(); ++i) all[i].drop(sets_);
  free_bytes_.push_back(first.number());
  first = all[0];
  all = {};
}

void MemoryHistories::drop(AccessHistory& first) {
  if (first.sort() == in_bytes) {
    Bytes& all = bytes_[first.number()];
    for (const AccessHistory& one : all) one.drop(sets_);
    all = {};
    free_bytes_.push_back(first.number());
  } else {
    first.drop(sets_);
  }
  first = {};
}

void MemoryHistories::forget(Address address, std::uint64_t size_bytes) {
  const Address begin = (address + word_bytes - 1) & ~(word_bytes - 1);
  const Address end = (address + size_bytes) & ~(word_bytes - 1);
  firsts_.for_each_in(begin, end, [this](AccessHistory& one) { drop(one); });
  seconds_.for_each_in(begin, end, [this](AccessHistory& one) {
    one.drop(sets_);
    one = {};
  });
}

}  // namespace orrery::detail
