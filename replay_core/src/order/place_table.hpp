// Places in the source, each in one short number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery::detail {

/// From 1 on, in the order in which they came up; 0: not known.
using PlaceNumber = std::uint32_t;

/// Numbers places, be they known by a program counter or named by the compiler.
class PlaceTable {
 public:
  PlaceTable() { clear(); }
  void clear() {
    places_.assign(1, SourceLocation{});
    numbers_.clear();
    slots_.assign(slots_min, Slot{});
    mask_ = slots_min - 1;
  }
  PlaceNumber number_of(ProgramCounter counter) {
    const Slot& slot = slots_[home_of(counter)];
    return slot.counter == counter ? slot.number : search(counter);
  }
  PlaceNumber number_of(const SourceLocation* where) {
    if (where == nullptr) return 0;
    if (where->file == nullptr) return number_of(where->program_counter);
    const auto [found, is_new] = numbers_.try_emplace({where->file, where->line}, next());
    if (is_new) places_.push_back(*where);
    return found->second;
  }
  [[nodiscard]] const SourceLocation& place(PlaceNumber number) const { return places_[number]; }
  /// One more than the largest number.
  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  // Open addressing: a counter's slot, or one of the next.  The empty slot is that of counter 0.
  struct Slot {
    ProgramCounter counter = 0;
    PlaceNumber number = 0;
  };
  // So many that those of most programs do not meet.
  static constexpr std::size_t slots_min = 1024;

  [[nodiscard]] std::size_t home_of(ProgramCounter counter) const {
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    return (counter * golden >> 32U) & mask_;
  }
  [[nodiscard]] PlaceNumber next() const { return static_cast<PlaceNumber>(places_.size()); }
  [[nodiscard]] Slot& slot_of(ProgramCounter counter) {
    std::size_t i = home_of(counter);
    while (slots_[i].counter != counter && slots_[i].counter != 0) {
      i = (i + 1) & mask_;
    }
    return slots_[i];
  }
  [[gnu::noinline]] PlaceNumber search(ProgramCounter counter) {
    Slot& slot = slot_of(counter);
    if (slot.counter == counter) return slot.number;
    const PlaceNumber number = next();
    slot = {counter, number};
    places_.push_back(SourceLocation::at(counter));
    if (places_.size() * 2 > slots_.size()) grow();
    return number;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    mask_ = slots_.size() - 1;
    for (const Slot& one : old) {
      if (one.counter != 0) slot_of(one.counter) = one;
    }
  }

  std::vector<SourceLocation> places_;  ///< by number
  std::map<std::pair<const char*, std::uint32_t>, PlaceNumber>
      numbers_;              ///< looked up, never walked
  std::vector<Slot> slots_;  ///< a power of two
  std::size_t mask_ = 0;     ///< one less
};

}  // namespace orrery::detail
