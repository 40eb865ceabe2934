#include "shared_words.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

#include "all_threads_fence.hpp"
#include "reserved_memory.hpp"

namespace orrery::on_hardware {

bool SharedWords::begin() {
  leaves_ = reserve<std::atomic<SharedWord*>>(leaves);
  return leaves_ != nullptr;
}

SharedWord* SharedWords::make_leaf(std::uint64_t number) {
  auto* const made = reserve<SharedWord>(leaf_words);
  if (made == nullptr) std::abort();  // there is not even room for addresses
  SharedWord* there = nullptr;
  if (leaves_[number].compare_exchange_strong(there, made)) return made;
  munmap(made, leaf_words * sizeof(SharedWord));
  return there;
}

/// One fence is dear, and who meets others at a word meets them around it: 512 bytes at once.
void SharedWords::fence(std::uint64_t word) {
  constexpr std::uint64_t words_at_once = 64;
  static_assert(leaf_words % words_at_once == 0);
  SharedWord* const first = &at(word / words_at_once * words_at_once);
  const auto set_all = [first](std::uint32_t to) {
    for (std::uint64_t i = 0; i < words_at_once; ++i) {
      auto& fences = first[i].fences;
      if (fences.load(std::memory_order_relaxed) < to) fences.store(to);
    }
  };
  set_all(SharedWord::being_fenced);
  AllThreadsFence::pass();
  set_all(SharedWord::fenced);
}

void SharedWords::forget(std::uint64_t first_word, std::uint64_t words) {
  while (words > 0) {
    SharedWord* const leaf = leaves_[first_word >> leaf_log2].load(std::memory_order_acquire);
    const std::uint64_t place = first_word & (leaf_words - 1);
    const std::uint64_t part = std::min(words, leaf_words - place);
    if (leaf != nullptr) clear(leaf + place, part);
    first_word += part;
    words -= part;
  }
}

void SharedWords::clear(SharedWord* first, std::uint64_t words) {
  constexpr std::uint64_t page_words = 4096 / sizeof(SharedWord);
  constexpr std::uint64_t many_words = 64 * page_words;
  SharedWord* const end = first + words;
  const auto clear_each = [](SharedWord* word, const SharedWord* behind) {
    for (; word < behind; ++word) {
      // What nobody has touched must not come to need memory.
      if (word->number.load(std::memory_order_relaxed) == 0) continue;
      word->number.store(0, std::memory_order_relaxed);
      word->readers.store(0, std::memory_order_relaxed);
      word->marks.store(0, std::memory_order_relaxed);
      word->state.store(0, std::memory_order_release);
    }
  };
  if (words < many_words) return clear_each(first, end);
  const auto place = reinterpret_cast<std::uintptr_t>(first);
  auto* const first_page = reinterpret_cast<SharedWord*>((place + 4095) / 4096 * 4096);
  auto* const behind_pages =
      reinterpret_cast<SharedWord*>(reinterpret_cast<std::uintptr_t>(end) / 4096 * 4096);
  clear_each(first, first_page);
  madvise(first_page, static_cast<std::size_t>(behind_pages - first_page) * sizeof(SharedWord),
          MADV_DONTNEED);
  clear_each(behind_pages, end);
}

}  // namespace orrery::on_hardware
