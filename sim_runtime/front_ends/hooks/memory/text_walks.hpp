// Texts that are read and copied where others may have a turn between two accesses.
//
// Each word is told, and then looked at: what it is at its turn says where the text ends.  So the
// accesses that are told depend on nothing that was not told.
#pragma once

#include "wrapped.hpp"

extern "C" {
void* orrery_plain_memcpy(void*, const void*, std::size_t) __asm__("__real_memcpy");
std::size_t orrery_plain_strnlen(const char*, std::size_t) __asm__("__real_strnlen");
}

namespace orrery::hooks {

/// Calls `take(bytes, count)` with what there is of a text in each of its words, with its zero if
/// that lies within `most` bytes.  How long the text is.
template <typename Take>
std::size_t walk(const char* text, std::size_t most, std::uintptr_t caller, const Take& take) {
  for (std::size_t done = 0; done < most;) {
    const char* const here = text + done;
    const std::size_t piece = rest_of_word(here, most - done);
    const auto with_zero = [piece](const char* bytes) {
      const std::size_t length = orrery_plain_strnlen(bytes, piece);
      return length < piece ? length + 1 : piece;
    };
    reads(here, with_zero(here), caller);
    char read[8];
    orrery_plain_memcpy(read, here, piece);
    const std::size_t count = with_zero(read);
    take(read, count);
    done += count;
    if (read[count - 1] == '\0') return done - 1;
  }
  return most;
}

inline std::size_t length_word_by_word(const char* text, std::size_t most, std::uintptr_t caller) {
  return walk(text, most, caller, [](const char*, std::size_t) {});
}

/// With its zero, if that is among the first `most` bytes.  How long the text is.
inline std::size_t copy_word_by_word(char* to, const char* from, std::size_t most,
                                     std::uintptr_t caller) {
  char read[kept_bytes];
  std::size_t kept = 0;
  char* next = to;
  const auto put = [&] {
    writes(next, kept, caller);
    orrery_plain_memcpy(next, read, kept);
    next += kept;
    kept = 0;
  };
  const std::size_t length = walk(from, most, caller, [&](const char* bytes, std::size_t count) {
    if (kept + count > kept_bytes) put();
    orrery_plain_memcpy(read + kept, bytes, count);
    kept += count;
  });
  put();
  return length;
}

/// As a text, the first `most` letters of the other.  False: so much does not fit into `room`, and
/// nothing was written.
inline bool append_word_by_word(char* to, const char* from, std::size_t most, std::size_t room,
                                std::uintptr_t caller) {
  const std::size_t there = length_word_by_word(to, room, caller);
  if (room != SIZE_MAX && orrery_plain_strnlen(from, most) >= room - there) return false;
  const std::size_t added = copy_word_by_word(to + there, from, most, caller);
  if (added < most) return true;
  writes(to + there + added, 1, caller);
  to[there + added] = '\0';
  return true;
}

/// Until they differ or end; `compare` as `strncmp`.  `extent(one, other, most)`: how far it reads.
template <typename Compare, typename Extent>
int compare_word_by_word(const char* one, const char* other, std::size_t most,
                         std::uintptr_t caller, const Compare& compare, const Extent& extent) {
  for (std::size_t done = 0; done < most;) {
    const std::size_t piece = rest_of_word(other + done, rest_of_word(one + done, most - done));
    char first[8];
    char second[8];
    reads(one + done, extent(one + done, other + done, piece), caller);
    orrery_plain_memcpy(first, one + done, piece);
    reads(other + done, extent(first, other + done, piece), caller);
    orrery_plain_memcpy(second, other + done, piece);
    const int order = compare(first, second, piece);
    if (order != 0 || orrery_plain_strnlen(first, piece) < piece) return order;
    done += piece;
  }
  return 0;
}

/// Where the letter is, or the text's end.
inline const char* search_word_by_word(const char* text, int letter, std::uintptr_t caller) {
  for (const char* word = text;;) {
    const std::size_t piece = rest_of_word(word, SIZE_MAX);
    const auto ends = [letter](char one) { return one == static_cast<char>(letter) || one == 0; };
    std::size_t peeked = 0;
    while (peeked + 1 < piece && !ends(word[peeked])) ++peeked;
    reads(word, peeked + 1, caller);
    for (std::size_t i = 0; i < piece; ++i) {
      if (ends(word[i])) return word + i;
    }
    word += piece;
  }
}

/// A text as it was when it was read; of a long one, what it is now.
class KeptText {
 public:
  KeptText(const char* text, std::uintptr_t caller, std::size_t most = SIZE_MAX) : text_(text) {
    std::size_t kept = 0;
    const std::size_t length = walk(text, most, caller, [&](const char* bytes, std::size_t count) {
      if (kept + count < sizeof read_) orrery_plain_memcpy(read_ + kept, bytes, count);
      kept += count;
    });
    is_kept_ = kept < sizeof read_;
    if (is_kept_) read_[length] = '\0';
  }

  [[nodiscard]] const char* text() const { return is_kept_ ? read_ : text_; }
  /// Where a place in `text()` is in what was read.
  [[nodiscard]] char* original(const char* place) const {
    if (place == nullptr || !is_kept_) return const_cast<char*>(place);
    return const_cast<char*>(text_ + (place - read_));
  }

 private:
  const char* text_;
  char read_[kept_bytes];
  bool is_kept_ = false;
};

}  // namespace orrery::hooks
