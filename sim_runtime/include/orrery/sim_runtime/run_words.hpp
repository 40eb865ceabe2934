// A word for every eight bytes of a process's memory, zero at the beginning of each run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <orrery/sim_runtime/address_table.hpp>

namespace orrery::detail {

/// What is known of each eight bytes of memory in this run.  `Word{}` must be all bits zero, and
/// needs no destructor.
///
/// Words are in use in blocks, so that neither a new run nor memory that is given back needs a look
/// at those that nobody has touched.
template <typename Word>
class RunWords {
 public:
  static constexpr std::uintptr_t bytes_of_word = 8;

  /// As they were in the beginning: for a new run.
  void clear() {
    if (++run_ != 0) return;
    leaves_.clear();
    run_ = 1;
  }
  [[nodiscard]] Word& at(std::uintptr_t address) {
    Leaf* leaf = leaves_.find(address);
    if (leaf == nullptr) leaf = &leaves_.at(address);
    const std::uintptr_t offset = address % Leaves::leaf_bytes;
    if (leaf->runs[offset / block_bytes] != run_) renew(*leaf, address);
    return leaf->words[offset / bytes_of_word];
  }
  /// Of a word that `at` gave, the next: of the second half of 16 bytes at a multiple of 16.
  [[nodiscard]] static Word& next(Word& first) { return *(&first + 1); }
  /// Has the processor fetch the word, where there is one.  Inlined always, and so must be who does
  /// nothing but call it: gcc takes a function that only fetches for one without effect, and drops
  /// its calls.
  [[gnu::always_inline]] void prefetch(std::uintptr_t address) const {
    const Leaf* const leaf = leaves_.find(address);
    if (leaf == nullptr) return;
    __builtin_prefetch(&leaf->words[address % Leaves::leaf_bytes / bytes_of_word], 1);
  }
  /// All from `begin` on and before `end`, which both are multiples of eight, are this from now on.
  void fill(std::uintptr_t begin, std::uintptr_t end, Word value) {
    for (std::uintptr_t address = begin; address < end;) {
      const std::uintptr_t stop = std::min(end, (address / block_bytes + 1) * block_bytes);
      std::fill_n(&at(address), (stop - address) / bytes_of_word, value);
      address = stop;
    }
  }
  /// Calls `function(word)` for those from `begin` on and before `end` that may not be zero.
  template <typename Function>
  void for_each_in(std::uintptr_t begin, std::uintptr_t end, const Function& function) {
    for (std::uintptr_t address = begin; address < end;) {
      Leaf* const leaf = leaves_.find(address);
      if (leaf == nullptr) {
        address = (address / Leaves::leaf_bytes + 1) * Leaves::leaf_bytes;
        continue;
      }
      const std::uintptr_t offset = address % Leaves::leaf_bytes;
      const std::uintptr_t stop = std::min(end, (address / block_bytes + 1) * block_bytes);
      if (leaf->runs[offset / block_bytes] == run_) {
        std::for_each(leaf->words.begin() + offset / bytes_of_word,
                      leaf->words.begin() + (offset + stop - address) / bytes_of_word, function);
      }
      address = stop;
    }
  }
  /// All of those, in the order in which their blocks were first used in this run.
  template <typename Function>
  void for_each(const Function& function) {
    leaves_.for_each([&](std::uintptr_t, Leaf& leaf) {
      if (leaf.run != run_) return;
      for (std::uint32_t i = 0; i < leaf.listed; ++i) {
        std::for_each_n(leaf.words.begin() + leaf.list[i] * block_words, block_words, function);
      }
    });
  }

 private:
  static constexpr std::size_t block_words = 64;
  static constexpr std::uintptr_t block_bytes = block_words * bytes_of_word;
  struct Leaf;
  using Leaves = AddressTable<Leaf>;
  struct Leaf {
    static constexpr std::size_t word_count = (std::size_t{1} << 24U) / bytes_of_word;
    std::array<std::uint32_t, word_count / block_words> runs;  ///< that used the block last
    std::uint32_t used_blocks;                                 ///< ever
    std::uint32_t run;                                         ///< of the list
    std::uint32_t listed;
    std::array<std::uint16_t, word_count / block_words> list;  ///< blocks used in that run
    alignas(64) std::array<Word, word_count> words;            // none in two lines of a cache
  };

  [[gnu::noinline]] void renew(Leaf& leaf, std::uintptr_t address) {
    constexpr std::uint32_t many_blocks = Leaf::word_count / block_words / 128;
    const std::size_t block = address % Leaves::leaf_bytes / block_bytes;
    if (leaf.runs[block] != 0) {
      std::fill_n(leaf.words.begin() + block * block_words, block_words, Word{});
    } else {
      if (++leaf.used_blocks == many_blocks) leaves_.expect_much(address);
      // Written before it is read: else the system maps a page of zeros first, and then another.
      leaf.words[block * block_words] = Word{};
    }
    leaf.runs[block] = run_;
    if (leaf.run != run_) {
      leaf.run = run_;
      leaf.listed = 0;
    }
    leaf.list[leaf.listed++] = static_cast<std::uint16_t>(block);
  }

  Leaves leaves_;
  std::uint32_t run_ = 1;
};

}  // namespace orrery::detail
