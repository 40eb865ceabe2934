#include "shared_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

#include "reserved_memory.hpp"

namespace orrery::on_hardware {

bool SharedWords::begin() {
  leaves_ = reserve<std::atomic<Leaf*>>(leaves);
  return leaves_ != nullptr;
}

SharedWords::Leaf& SharedWords::make_leaf(std::uint64_t number) {
  auto* const made = reserve<Leaf>(1);
  if (made == nullptr) std::abort();  // there is not even room for addresses
  Leaf* there = nullptr;
  if (leaves_[number].compare_exchange_strong(there, made)) return *made;
  munmap(made, sizeof(Leaf));
  return *there;
}

/// Of those around the word that need less so far.
void SharedWords::set_fences(std::uint64_t word, std::uint8_t to) {
  static_assert(leaf_words % words_at_once == 0);
  SharedWord* const first = &at(first_at_once(word));
  for (std::uint64_t i = 0; i < words_at_once; ++i) {
    auto& fences = first[i].fences;
    if (fences.load(std::memory_order_relaxed) < to) fences.store(to, std::memory_order_release);
  }
}

/// A writer that found the word fenced had taken it before this: who finds it unfenced sees that.
void SharedWords::unfence(std::uint64_t word) {
  const std::lock_guard hold(fencing_lock_);
  SharedWord* const first = &at(first_at_once(word));
  for (std::uint64_t i = 0; i < words_at_once; ++i) {
    auto& fences = first[i].fences;
    if (fences.load(std::memory_order_relaxed) == SharedWord::unfenced) continue;
    fences.store(SharedWord::unfenced, std::memory_order_release);
  }
}

void SharedWords::prepare(Leaf& leaf, std::uint64_t first) {
  use_at_once(&leaf.words[first], words_prepared);
  use_at_once(&leaf.readers[first], words_prepared);
}

void SharedWords::forget(std::uint64_t first_word, std::uint64_t words) {
  while (words > 0) {
    Leaf* const leaf = leaves_[first_word / leaf_words].load(std::memory_order_acquire);
    const std::uint64_t place = first_word % leaf_words;
    const std::uint64_t part = std::min(words, leaf_words - place);
    if (leaf != nullptr) clear(*leaf, place, part);
    first_word += part;
    words -= part;
  }
}

void SharedWords::clear(Leaf& leaf, std::uint64_t first, std::uint64_t words) {
  constexpr std::uint64_t page_bytes = 4096;
  // Whole pages of what is smallest are whole pages of all.
  constexpr std::uint64_t page_words = page_bytes / sizeof(leaf.groups[0]);
  static_assert(leaf_words % page_words == 0);
  const auto clear_each = [&leaf](std::uint64_t at, std::uint64_t behind) {
    for (; at < behind; ++at) {
      SharedWord& word = leaf.words[at];
      // What nobody has touched must not come to need memory.
      if (word.number.load(std::memory_order_relaxed) == 0) continue;
      word.number.store(0, std::memory_order_relaxed);
      word.marks.store(0, std::memory_order_relaxed);
      leaf.readers[at].store(0, std::memory_order_relaxed);
      // What threads met at once they meet at again: then nobody need ask for it.
      const std::uint64_t state = word.state.load(std::memory_order_relaxed);
      word.state.store(state & SharedWord::shared, std::memory_order_release);
    }
  };
  const std::uint64_t behind = first + words;
  constexpr std::uint64_t many_words = 16 * page_words;
  if (words < many_words) return clear_each(first, behind);
  const std::uint64_t first_page = (first + page_words - 1) / page_words;
  const std::uint64_t pages = behind / page_words - first_page;
  clear_each(first, first_page * page_words);
  const auto clear_all = [&](auto* of_first) {
    madvise(of_first + first_page * page_words, pages * page_words * sizeof(*of_first),
            MADV_DONTNEED);
  };
  clear_all(leaf.words);
  clear_all(leaf.readers);
  clear_all(leaf.groups);
  clear_each((first_page + pages) * page_words, behind);
  for (std::uint64_t at = first; at < behind; at += words_prepared) {
    leaf.are_prepared[at / words_prepared].store(false, std::memory_order_relaxed);
  }
}

}  // namespace orrery::on_hardware
