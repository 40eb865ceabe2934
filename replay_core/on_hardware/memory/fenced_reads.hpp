// How often a thread has read words that it had to fence itself for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "shared_words.hpp"

namespace orrery::on_hardware {

/// To fence oneself takes a few nanoseconds; that nobody need takes the next writer as long as some
/// thousand of these.  So it is worth it after so many, whatever comes: at worst they take about
/// twice as long (as one rents skis until one could have bought some: Karlin, Manasse, Rudolph and
/// Sleator 1988).  Where a writer came back before it was, the next time it takes longer.
class FencedReads {
 public:
  /// One more; `reads`: all that the thread has done.  True: it is worth it that nobody need fence
  /// himself for this word and those around it, from now on.
  [[nodiscard]] bool are_many_with(std::uint64_t word, std::uint64_t reads) {
    const std::uint64_t first = SharedWords::first_at_once(word);
    Around& around = by_place_[first / SharedWords::words_at_once % places];
    if (around.first != first) around = {first};
    if (around.fenced == 0 && around.reads_before != 0) {
      const bool was_worth_it = reads - around.reads_before > around.enough;
      around.enough = was_worth_it ? enough_at_first : std::min(2 * around.enough, enough_at_most);
    }
    if (++around.fenced < around.enough) return false;
    around.fenced = 0;
    around.reads_before = reads;
    return true;
  }

 private:
  static constexpr std::uint64_t enough_at_first = 2048;
  static constexpr std::uint64_t enough_at_most = 16 * enough_at_first;
  static constexpr std::uint64_t places = 64;  // that are known at a time
  struct Around {
    std::uint64_t first = 0;
    std::uint64_t fenced = 0;  ///< reads there since it was last worth it
    std::uint64_t enough = enough_at_first;
    std::uint64_t reads_before = 0;  ///< all that there were then; 0: it has not been
  };
  std::array<Around, places> by_place_;
};

}  // namespace orrery::on_hardware
