#include "forgotten_memory.hpp"

#include <iterator>

#include <orrery/sim_runtime/kept_words.hpp>

namespace orrery::detail {

void ForgottenMemory::forget(std::uint64_t address, std::uint64_t size_bytes) {
  if (keeps_word_at(address)) return;
  const std::uint64_t first = address / word_bytes;
  const std::uint64_t behind = (address + size_bytes + word_bytes - 1) / word_bytes;
  if (first == behind) return;
  auto next = blocks_.lower_bound(first);
  if (next != blocks_.begin()) {
    const auto before = std::prev(next);
    const Block old = before->second;
    if (old.behind > first) before->second.behind = first;
    if (old.behind > behind) blocks_[behind] = old;
  }
  next = blocks_.lower_bound(first);
  while (next != blocks_.end() && next->first < behind) {
    if (next->second.behind > behind) blocks_[behind] = next->second;
    next = blocks_.erase(next);
  }
  blocks_[first] = {behind, date_++};
}

bool ForgottenMemory::is_forgotten(std::uint64_t address, std::uint64_t date) const {
  const std::uint64_t word = address / word_bytes;
  const auto behind = blocks_.upper_bound(word);
  if (behind == blocks_.begin()) return false;
  const Block& last = std::prev(behind)->second;
  return word < last.behind && last.date >= date;
}

}  // namespace orrery::detail
