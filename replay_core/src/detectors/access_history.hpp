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
  /// Is that known of both without looking?  Never of what is no epoch.
  [[nodiscard]] bool has_known(EpochNumber one, EpochNumber other) const {
    const EpochNumber differ = (known_lately_[one % known_lately_.size()] ^ one) |
                               (known_lately_[other % known_lately_.size()] ^ other);
    return differ == 0;
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
  // What most of a detector's time goes to, with few branches: which accesses come is hard to
  // guess for a processor.
  [[gnu::always_inline]] void access(bool writes, PlaceNumber place, Accessor& by) {
    if (!is_accessed_in(writes, by.epoch)) access_first(writes, place, by);
  }
  /// Does another such access in that epoch change nothing?
  [[nodiscard]] bool is_accessed_in(bool writes, EpochNumber epoch) const {
    return last_[writes ? 1 : 0].epoch == epoch;
  }
  /// The same for the first such access in the epoch.
  [[gnu::always_inline]] void access_first(bool writes, PlaceNumber place, Accessor& by) {
    if (by.has_known(write().epoch, read().epoch)) {  // a read takes what a write does
      last_[writes ? 1 : 0] = {by.epoch, place};
    } else {
      judge(writes, place, by);
    }
  }
  /// Takes the access that came to another one, which was the same and has no set.  No more than
  /// what was written a moment ago: a wider load would wait until that has reached the cache.
  void follow(const AccessHistory& other, bool writes) {
    last_[writes ? 1 : 0] = other.last_[writes ? 1 : 0];
  }

  /// Has it a set, of which it is one of the users?
  [[nodiscard]] bool is_shared() const { return (read().epoch & shared_bit) != 0; }
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
    function(write().epoch);
    if (!is_shared()) function(read().epoch);
  }
  friend constexpr bool operator==(const AccessHistory&, const AccessHistory&) = default;

  /// What its owner notes at it: any of the bits that no place has.  A write takes what stands at
  /// its place.
  [[nodiscard]] PlaceNumber sort() const { return write().place & ~Accessor::place_bits; }
  void set_sort(PlaceNumber sort) { write().place = (write().place & Accessor::place_bits) | sort; }
  /// No history, but a number of its owner's in its place.
  static AccessHistory mark(PlaceNumber sort, std::uint32_t number) {
    AccessHistory mark;
    mark.write() = {number, sort};
    return mark;
  }
  [[nodiscard]] std::uint32_t number() const { return write().epoch; }

 private:
  static constexpr EpochNumber shared_bit = 0x8000'0000U;

  [[nodiscard]] const Access& read() const { return last_[0]; }
  [[nodiscard]] const Access& write() const { return last_[1]; }
  [[nodiscard]] Access& read() { return last_[0]; }
  [[nodiscard]] Access& write() { return last_[1]; }
  [[nodiscard]] ReadSets::Number set() const { return read().epoch & ~shared_bit; }
  [[gnu::noinline]] void judge(bool writes, PlaceNumber place, Accessor& by);
  void judge_read(PlaceNumber place, Accessor& by);
  void judge_write(PlaceNumber place, Accessor& by);
  void end_sharing(Accessor& by);

  /// The last read and the last write; or in place of the read's epoch, with `shared_bit`, the
  /// number of a set.
  std::array<Access, 2> last_;
};
static_assert(sizeof(AccessHistory) == 16, "there are as many as the program has words");

}  // namespace orrery::detail
