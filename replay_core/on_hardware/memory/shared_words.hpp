// The words of memory that threads can meet at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "own_lock.hpp"

namespace orrery::on_hardware {

/// Eight bytes of the program's memory: what most accesses look at.
struct alignas(16) SharedWord {
  /// Whether it is one thread's own, or everybody's, in the highest two bits; below, above
  /// `writer_bits`, how often it was written: twice that, and 1 while somebody writes (by `leap`,
  /// has it); below, the number of who did that last, + 1.
  std::atomic<std::uint64_t> state;
  std::atomic<std::uint32_t> number;  ///< 0: nobody has come since it was new
  std::atomic<std::uint8_t> marks;    ///< of its turns; whoever has taken it writes them
  std::atomic<std::uint8_t> fences;   ///< whether who reads it must fence himself

  /// Some are written down; and of the first ones it is not known whose they were.
  static constexpr std::uint8_t has_turns = 1;
  static constexpr std::uint8_t has_quiet_turns = 2;

  /// Of `fences`: nobody has written it who had to ask others whether they read; somebody is about
  /// to; all know.
  static constexpr std::uint8_t unfenced = 0;
  static constexpr std::uint8_t being_fenced = 1;
  static constexpr std::uint8_t fenced = 2;

  /// Of `state`: the last writer alone has come to it, if anybody has written it, and others would
  /// have to ask; for good, nobody has to ask.  Neither, where words are nobody's own.
  static constexpr std::uint64_t owned = std::uint64_t{1} << 63U;
  static constexpr std::uint64_t shared = std::uint64_t{1} << 62U;

  /// The highest bit of the version: the word was written so often (2^44 times) that it could soon
  /// be no more.  Then what is recorded of whoever comes there ends.
  static constexpr std::uint64_t worn = std::uint64_t{1} << 61U;

  static constexpr unsigned writer_bits = 16;
  static constexpr std::uint64_t one_version = std::uint64_t{1} << writer_bits;
  static constexpr std::uint64_t two_versions = 2 * one_version;
  static constexpr std::uint64_t writer_mask = one_version - 1;
  [[nodiscard]] static std::uint64_t version(std::uint64_t state) {
    return (state & ~(owned | shared)) >> writer_bits;
  }
  [[nodiscard]] static bool is_taken(std::uint64_t state) { return (state & one_version) != 0; }
  /// While a thread has it that is about to leave this version.
  [[nodiscard]] static std::uint64_t taken_for(std::uint64_t version, std::uint32_t thread) {
    return (version - 1) << writer_bits | (thread + 1);
  }
  /// When a thread has taken it that was in this state; `mark`: its number + 1.
  [[nodiscard]] static std::uint64_t taken_from(std::uint64_t state, std::uint32_t mark) {
    return ((state & ~writer_mask) + one_version) | mark;
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
  [[nodiscard]] SharedWord& at(std::uint64_t word) { return leaf(word).words[word % leaf_words]; }
  /// Who may read a word as it is: a bit a thread; the highest one is of all further ones.
  [[nodiscard]] std::atomic<std::uint64_t>& readers(std::uint64_t word) {
    return leaf(word).readers[word % leaf_words];
  }
  /// See `WordGroups`.
  [[nodiscard]] std::atomic<std::uint32_t>& group(std::uint64_t word) {
    return leaf(word).groups[word % leaf_words];
  }
  /// Whoever asks others about a word asks about those around it, too: that is dear, and who meets
  /// others at a word meets them around it.  As many as these, from a multiple of that on.
  static constexpr std::uint64_t words_at_once = 512;
  [[nodiscard]] static std::uint64_t first_at_once(std::uint64_t word) {
    return word / words_at_once * words_at_once;
  }
  /// From now on all fence themselves who read this word, or one of those around it.  When this
  /// returns, whoever reads one of them without that has been heard to do so.
  /// `have_all_fenced()`: all threads have passed a fence since it was called.
  template <typename Fence>
  void fence(std::uint64_t word, const Fence& have_all_fenced) {
    // One at a time: else one could call words fenced that another has just freed of that.
    const std::lock_guard hold(fencing_lock_);
    set_fences(word, SharedWord::being_fenced);
    have_all_fenced();
    set_fences(word, SharedWord::fenced);
  }
  /// From now on nobody need, until somebody writes one of them.
  void unfence(std::uint64_t word);
  /// Somebody comes to that word who has never been there: others around it will follow.
  void prepare(std::uint64_t word) {
    Leaf& leaf = this->leaf(word);
    auto& is_prepared = leaf.are_prepared[word % leaf_words / words_prepared];
    if (!is_prepared.load(std::memory_order_relaxed)) {
      is_prepared.store(true, std::memory_order_relaxed);
      prepare(leaf, word % leaf_words / words_prepared * words_prepared);
    }
  }
  /// What lies there from now on is something else.
  void forget(std::uint64_t first_word, std::uint64_t words);

  static constexpr std::uint64_t leaf_words = std::uint64_t{1} << 21U;  // 16 MB of the program's
  /// Those that get memory at once.
  static constexpr std::uint64_t words_prepared = 2048;
  struct Leaf {
    SharedWord words[leaf_words];
    std::atomic<std::uint64_t> readers[leaf_words];
    std::atomic<std::uint32_t> groups[leaf_words];
    std::atomic<bool> are_prepared[leaf_words / words_prepared];
  };
  /// The one with that word.
  [[nodiscard]] Leaf& leaf(std::uint64_t word) {
    Leaf* const made = leaves_[word / leaf_words].load(std::memory_order_acquire);
    return made != nullptr ? *made : make_leaf(word / leaf_words);
  }

 private:
  static constexpr std::uint64_t leaves = 2 * beyond / leaf_words;

  [[nodiscard]] Leaf& make_leaf(std::uint64_t number);
  void set_fences(std::uint64_t word, std::uint8_t to);
  static void prepare(Leaf& leaf, std::uint64_t first);
  static void clear(Leaf& leaf, std::uint64_t first, std::uint64_t words);

  std::atomic<Leaf*>* leaves_ = nullptr;
  OwnLock fencing_lock_;  ///< of who changes what readers have to do
};

}  // namespace orrery::on_hardware
