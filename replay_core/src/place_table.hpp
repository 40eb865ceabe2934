// Places in the source, each in one word.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/source_location.hpp>

#include "access_history.hpp"

namespace orrery::detail {

/// A place that is known by its program counter is that; one that the compiler named has a number,
/// told from program counters by the highest bit.
class PlaceTable {
 public:
  void clear() {
    places_.clear();
    numbers_.clear();
  }
  [[nodiscard]] static PlaceWord word_of(ProgramCounter counter) { return counter; }
  PlaceWord word_of(const SourceLocation* where) {
    if (where == nullptr) return 0;
    if (where->file == nullptr) return where->program_counter;
    const auto [found, is_new] = numbers_.try_emplace({where->file, where->line}, places_.size());
    if (is_new) places_.push_back(*where);
    return named_bit | found->second;
  }
  [[nodiscard]] SourceLocation place(PlaceWord word) const {
    if ((word & named_bit) == 0) return SourceLocation::at(word);
    return places_[word & ~named_bit];
  }

 private:
  static constexpr PlaceWord named_bit = PlaceWord{1} << 63U;
  std::vector<SourceLocation> places_;  ///< in the order in which they came up
  std::map<std::pair<const char*, std::uint32_t>, PlaceWord> numbers_;  ///< looked up, never walked
};

}  // namespace orrery::detail
