// How often a thread has read words that it had to fence itself for.
#pragma once

#include <array>
#include <cstdint>

#include "shared_words.hpp"

namespace orrery::on_hardware {

/// To fence oneself takes a few nanoseconds; that nobody need takes the next writer as long as some
/// thousand of these.  So it is worth it after so many, whatever comes: at worst they take about
/// twice as long (as one rents skis until one could have bought some: Karlin, Manasse, Rudolph and
/// Sleator 1988).
class FencedReads {
 public:
  /// One more.  True: that many of this word and those around it since it was so last.
  [[nodiscard]] bool are_many_with(std::uint64_t word) {
    const std::uint64_t first = SharedWords::first_at_once(word);
    Reads& reads = by_place_[first / SharedWords::words_at_once % places];
    if (reads.first != first) reads = {first, 0};
    reads.count = (reads.count + 1) % many;
    return reads.count == 0;
  }

 private:
  static constexpr std::uint64_t many = 2048;
  static constexpr std::uint64_t places = 64;  // that are known at a time
  struct Reads {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  std::array<Reads, places> by_place_;
};

}  // namespace orrery::on_hardware
