// Which bytes the segments that are held have, by address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <orrery/sim_runtime/run_words.hpp>

#include "segment.hpp"

namespace orrery::detail {

/// Tells segments that have nothing in common with any of many others, without a look at these: a
/// replay runs one thread for long, and then another, whose segments are all parallel with those of
/// the first.  For each word of memory it knows what the newest segments of two tasks did there,
/// and says "perhaps" where that is not enough.
class SegmentIndex {
 public:
  /// A segment's number: how many have been added to the list before it.
  using Number = std::uint64_t;
  static constexpr Number none = std::numeric_limits<Number>::max();

  using Short = std::uint32_t;  ///< a number, counted from 1 on since it is in use; 0: none

  [[nodiscard]] bool is_in_use() const { return is_in_use_; }
  /// Must it begin anew, since there have been too many?
  [[nodiscard]] bool is_full(Number next) const {
    return next - first_ >= std::numeric_limits<Short>::max() - 1;
  }
  /// Empty; `first`: no segment that will be added has a smaller number.
  void begin(Number first);
  void end() { is_in_use_ = false; }
  /// `oldest`: of those of its task that are held, this one included.
  void add(const Segment& segment, Number number, Number oldest);
  /// Of which tasks may segments race with this one?  By task: `since` says from which number on
  /// they count, `none` if there are none; the answer is in `perhaps`.
  void find(const Segment& segment, const std::vector<Number>& since, std::vector<bool>& perhaps);

 private:
  struct Latest {
    std::uint64_t accessed = 0;  ///< bytes, by one or several of those that are held
    std::uint64_t written = 0;
    Short number = 0;  ///< the newest of these
    std::uint32_t task = 0;
  };
  struct Word {
    std::array<Latest, 2> latest;
    Short forgotten = 0;  ///< the newest of those of further tasks
  };
  // So many words that looking at each would take longer than comparing.
  static constexpr std::size_t words_max = 1024;

  [[nodiscard]] Short short_of(Number number) const {
    return static_cast<Short>(number - first_ + 1);
  }
  [[nodiscard]] Word& at(Address word) {
    return words_.at(word / AccessBitmap::word_bytes * RunWords<Word>::bytes_of_word);
  }
  void note(Word& word, std::uint32_t task, Short number, Short oldest, std::uint64_t accessed,
            std::uint64_t written);

  bool is_in_use_ = false;
  Number first_ = 0;
  RunWords<Word> words_;
  std::vector<Short> large_;  ///< by task: its newest one with too many words
  std::vector<Short> since_;  ///< of the segment at hand
};

}  // namespace orrery::detail
