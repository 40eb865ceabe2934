// Who accessed a variable last, as far as a later access could race with it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "order/epoch_numbers.hpp"
#include "read_sets.hpp"

namespace orrery::detail {

/// Two accesses that nothing orders.
struct Race {
  Access earlier;
  bool earlier_writes = false;
};

/// Epochs that a task knows of: most accesses follow one of the same few.  What is known once stays
/// so, for as long as its number.
using KnownLately = std::array<EpochNumber, 16>;

/// A task that accesses something, and what it takes to judge that: the same for all accesses
/// between two operations.
class Accessor {
 public:
  /// `lately`: the task's own.  What races is appended to `races`.
  Accessor(EpochNumber now, const VectorClock& known, KnownLately& lately,
           const EpochNumbers& numbers, ReadSets& sets, std::vector<Race>& races)
      : epoch(now),
        epochs(numbers),
        read_sets(sets),
        known_(known),
        known_lately_(lately),
        races_(races) {}

  /// Is what happened in that epoch ordered before what happens now?
  [[nodiscard]] bool knows(EpochNumber past) {
    EpochNumber& lately = known_lately_[past % known_lately_.size()];
    return lately == past || looks_up(past, lately);
  }
  /// There are fewer places than that: what lies above is a history's owner's.
  static constexpr PlaceNumber place_bits = 0x3fff'ffffU;

  /// Has it told races that nobody has taken yet?
  [[nodiscard]] bool has_raced() const { return !races_.empty(); }
  // Not in line: what takes most of a detector's time is short without it, and stays near.
  [[gnu::noinline, gnu::cold]] void races_with(const Access& earlier, bool earlier_writes) {
    races_.push_back({{earlier.epoch, earlier.place & place_bits}, earlier_writes});
  }

  const EpochNumber epoch;
  const EpochNumbers& epochs;
  ReadSets& read_sets;

 private:
  [[nodiscard, gnu::noinline]] bool looks_up(EpochNumber past, EpochNumber& lately) const {
    if (!known_.covers(epochs.epoch(past))) return false;
    lately = past;
    return true;
  }

  const VectorClock& known_;
  KnownLately& known_lately_;
  std::vector<Race>& races_;
};

/// The last write, and the last read or the last reads that do not know of each other.
class AccessHistory {
 public:
  /// Does another such access in that epoch change nothing?
  [[nodiscard]] bool is_read_in(EpochNumber epoch) const { return read_.epoch == epoch; }
  [[nodiscard]] bool is_written_in(EpochNumber epoch) const { return write_.epoch == epoch; }
  // What most of a detector's time goes to.
  [[gnu::always_inline]] void read(PlaceNumber place, Accessor& by) {
    if (is_read_in(by.epoch)) return;
    if (!by.knows(write_.epoch)) by.races_with(write_, true);
    if (is_shared()) return read_shared(place, by);
    if (!by.knows(read_.epoch)) return begin_sharing(place, by);
    read_ = {by.epoch, place};
  }
  [[gnu::always_inline]] void write(PlaceNumber place, Accessor& by) {
    if (is_written_in(by.epoch)) return;
    if (!by.knows(write_.epoch)) by.races_with(write_, true);
    if (is_shared()) {
      end_sharing(by);
    } else if (!by.knows(read_.epoch)) {
      by.races_with(read_, false);
    }
    write_ = {by.epoch, place};
  }
  /// Takes the access that came to another one, which was the same and has no set.  No more than
  /// what was written a moment ago: a wider load would wait until that has reached the cache.
  void follow(const AccessHistory& other, bool writes) {
    if (writes) {
      write_ = other.write_;
    } else {
      read_ = other.read_;
    }
  }

  /// Has it a set, of which it is one of the users?
  [[nodiscard]] bool is_shared() const { return (read_.epoch & shared_bit) != 0; }
  /// The same history for a part of the variable, from here on of its own.
  [[nodiscard]] AccessHistory part(ReadSets& sets) const {
    if (is_shared()) sets.share(set());
    return *this;
  }
  /// To be called before it goes, so that its set can be used again.
  void drop(ReadSets& sets) const {
    if (is_shared()) sets.release(set());
  }
  /// Calls `function(epoch)` for those that it holds itself, not for those of its set.
  template <typename Function>
  void for_each_epoch(const Function& function) {
    function(write_.epoch);
    if (!is_shared()) function(read_.epoch);
  }
  friend constexpr bool operator==(const AccessHistory&, const AccessHistory&) = default;

  /// What its owner notes at it: any of the bits that no place has.  A write takes what stands at
  /// its place.
  [[nodiscard]] PlaceNumber sort() const { return write_.place & ~Accessor::place_bits; }
  void set_sort(PlaceNumber sort) { write_.place = (write_.place & Accessor::place_bits) | sort; }
  /// No history, but a number of its owner's in its place.
  static AccessHistory mark(PlaceNumber sort, std::uint32_t number) {
    AccessHistory mark;
    mark.write_ = {number, sort};
    return mark;
  }
  [[nodiscard]] std::uint32_t number() const { return write_.epoch; }

 private:
  static constexpr EpochNumber shared_bit = 0x8000'0000U;

  [[nodiscard]] ReadSets::Number set() const { return read_.epoch & ~shared_bit; }
  void read_shared(PlaceNumber place, Accessor& by);
  void begin_sharing(PlaceNumber place, Accessor& by);
  void end_sharing(Accessor& by);

  Access write_;
  Access read_;  ///< or in place of its epoch, with `shared_bit`, the number of a set
};
static_assert(sizeof(AccessHistory) == 16, "there are as many as the program has words");

}  // namespace orrery::detail
