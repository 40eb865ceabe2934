#include "recorded_groups.hpp"

#include <algorithm>

namespace orrery::detail {

using memory_spool::word_bytes;

std::optional<std::uint32_t> RecordedGroups::note(TaskId thread, std::uint32_t number,
                                                  std::uint64_t name) {
  if (name * word_bytes - named_.begin < named_.bytes) {
    come_to(thread, number);
    words_.emplace_back(name, number);
    return std::nullopt;
  }
  const auto group = static_cast<std::uint32_t>(name);
  come_to(thread, group);
  by_use_[number] = group;
  return number;
}

void RecordedGroups::come_to(TaskId thread, std::uint32_t group) {
  const auto [found, is_new] = all_.try_emplace(group, Group{thread});
  if (!is_new && found->second.first != thread) found->second.is_shared = true;
}

void RecordedGroups::note_turn(std::uint32_t group) {
  const auto found = all_.find(group);
  if (found != all_.end()) found->second.is_shared = true;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> RecordedGroups::named_words() const {
  const bool is_block = groups_.by == memory_spool::Groups::By::block;
  const std::uint64_t at_once = is_block ? groups_.block_bytes / word_bytes : 1;
  const std::uint64_t first = named_.begin / word_bytes;
  const std::uint64_t count = named_.bytes / word_bytes;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> told = words_;
  std::ranges::sort(told);
  told.erase(std::unique(told.begin(), told.end()), told.end());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> words;
  for (const auto& [word, group] : told) {
    if (!all_.at(group).is_shared) continue;
    for (std::uint64_t i = 0; i < at_once; ++i) {
      if (word + i - first < count) words.emplace_back(word + i, group);
    }
  }
  return words;
}

std::vector<std::uint32_t> RecordedGroups::unnamed_words() const {
  std::vector<std::uint32_t> words;
  for (const auto& [word, group] : by_use_) {
    if (all_.at(group).is_shared) words.push_back(word);
  }
  return words;
}

}  // namespace orrery::detail
