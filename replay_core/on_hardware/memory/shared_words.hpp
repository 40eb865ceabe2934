// The words of memory that threads can meet at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orrery::on_hardware {

/// Eight bytes of the program's memory.
struct alignas(32) SharedWord {
  /// How often it was written: twice that, and 1 while somebody writes (by `leap`, has it), above
  /// `writer_bits`; below, the number of who did that last, + 1.
  std::atomic<std::uint64_t> state;
  /// Who has read it: a bit a thread; the highest one is of all further ones.
  std::atomic<std::uint64_t> readers;
  std::atomic<std::uint32_t> number;  ///< 0: nobody has come since it was new
  std::atomic<std::uint32_t> marks;   ///< of its turns; whoever has taken it writes them
  std::atomic<std::uint32_t> fences;  ///< whether who reads it must fence himself
  std::atomic<std::uint32_t> group;   ///< of a word: see `WordGroups`

  /// Some are written down; and of the first ones it is not known whose they were.
  static constexpr std::uint32_t has_turns = 1;
  static constexpr std::uint32_t has_quiet_turns = 2;

  /// Of `fences`: nobody has written it who had to ask others whether they read; somebody is about
  /// to; all know.
  static constexpr std::uint32_t unfenced = 0;
  static constexpr std::uint32_t being_fenced = 1;
  static constexpr std::uint32_t fenced = 2;

  static constexpr unsigned writer_bits = 16;
  static constexpr std::uint64_t one_version = std::uint64_t{1} << writer_bits;
  static constexpr std::uint64_t writer_mask = one_version - 1;
  [[nodiscard]] static std::uint64_t version(std::uint64_t state) { return state >> writer_bits; }
  [[nodiscard]] static bool is_taken(std::uint64_t state) { return (state & one_version) != 0; }
  /// While a thread has it that is about to leave this version.
  [[nodiscard]] static std::uint64_t taken_for(std::uint64_t version, std::uint32_t thread) {
    return (version - 1) << writer_bits | (thread + 1);
  }
  /// Who was there last; 0: nobody, else its number + 1.
  [[nodiscard]] static std::uint32_t writer(std::uint64_t state) {
    return static_cast<std::uint32_t>(state & writer_mask);
  }
};

/// All of them, by address.  Places are reserved, and memory is used where the program's is.
class SharedWords {
 public:
  /// No word of the program's has a place from here on; there is room for as many as these have.
  static constexpr std::uint64_t beyond = std::uint64_t{1} << (47 - 3);

  /// False: no room can be reserved.
  bool begin();
  [[nodiscard]] SharedWord& at(std::uint64_t word) {
    SharedWord* const leaf = leaves_[word >> leaf_log2].load(std::memory_order_acquire);
    return (leaf != nullptr ? leaf : make_leaf(word >> leaf_log2))[word & (leaf_words - 1)];
  }
  /// From now on all fence themselves who read this word, or one of those around it.  When this
  /// returns, whoever reads one of them without that has been heard to do so.
  void fence(std::uint64_t word);
  /// What lies there from now on is something else.
  void forget(std::uint64_t first_word, std::uint64_t words);

 private:
  static constexpr unsigned leaf_log2 = 21;  // 16 MB of the program's
  static constexpr std::uint64_t leaf_words = std::uint64_t{1} << leaf_log2;
  static constexpr std::uint64_t leaves = std::uint64_t{2} << (47 - 3 - leaf_log2);

  [[nodiscard]] SharedWord* make_leaf(std::uint64_t number);
  static void clear(SharedWord* first, std::uint64_t words);

  std::atomic<SharedWord*>* leaves_ = nullptr;
};

}  // namespace orrery::on_hardware
