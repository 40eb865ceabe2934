// Which words of memory share one version and one order of writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <orrery/replay_core/memory_groups.hpp>

#include "shared_words.hpp"
#include "thread_places.hpp"

namespace orrery::on_hardware {

/// A group has a place beyond those of words, and is taken, read and numbered there as a word is.
/// Which group a word is in is settled for good before anybody comes to it, or when somebody first
/// does: by `block` its address says so, by `allocation` the block of memory that first lay there,
/// by `site` who comes first.  So what a word is in has one version at all times.
///
/// In groups are words of the heap that has names, and of the program's own variables; others, as
/// those on stacks, are by themselves.
class WordGroups {
 public:
  /// `heap`: that has names.
  void begin(const MemoryGroups& groups, const ByteRange& heap);
  [[nodiscard]] bool are_any() const { return groups_.are_any(); }
  [[nodiscard]] const MemoryGroups& which() const { return groups_; }
  /// Does the word's place alone not say in which group it is?
  [[nodiscard]] bool are_settled_by_word() const { return groups_.by != MemoryGroups::By::block; }
  [[nodiscard]] static bool is_group(std::uint64_t place) { return place >= SharedWords::beyond; }

  /// The place of the word's group; its own: it is by itself.  To be asked once `settle` was.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t word, SharedWords& words) const {
    if (!may_be_in_one(word)) return word;
    if (!are_settled_by_word()) return SharedWords::beyond | word >> block_log2_;
    const std::uint32_t group = words.group(word).load(std::memory_order_acquire);
    return group < alone ? SharedWords::beyond | group : word;
  }
  /// The same, of a word that nobody may have come to before; `site`: who comes, in the program; 0:
  /// not known.
  [[nodiscard]] std::uint64_t settle(std::uint64_t word, std::uintptr_t site, SharedWords& words) {
    if (are_settled_by_word() && may_be_in_one(word)) settle_by_word(words.group(word), site);
    return place_of(word, words);
  }
  /// The program has got a block of memory.  `caller`, `frame`: of the function that has given it.
  void note_allocated(const void* block, std::size_t bytes, const void* caller, const void* frame,
                      SharedWords& words);
  /// Of the group of a word of the heap: the word by which that is known.
  [[nodiscard]] std::uint64_t name_of(std::uint64_t word) const {
    return are_settled_by_word() ? word : word >> block_log2_ << block_log2_;
  }

 private:
  struct Words {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    [[nodiscard]] bool has(std::uint64_t word) const { return word - first < count; }
  };
  static Words words_in(const ByteRange& bytes);
  /// Groups have numbers from 1 on, by what is hashed.
  static constexpr std::uint32_t groups_max = 1U << 16U;
  static constexpr std::uint32_t alone = groups_max + 1;
  [[nodiscard]] static std::uint32_t hashed(std::uint64_t site, std::uint64_t offset);

  [[nodiscard]] bool may_be_in_one(std::uint64_t word) const {
    return heap_.has(word) || variables_.has(word);
  }
  void settle_by_word(std::atomic<std::uint32_t>& of_word, std::uintptr_t site) const;
  [[nodiscard]] std::uintptr_t site_of(const void* caller, const void* frame) const;

  MemoryGroups groups_{};
  unsigned block_log2_ = 0;  ///< in words
  Words heap_;
  Words variables_;
  ByteRange code_;
};

}  // namespace orrery::on_hardware
