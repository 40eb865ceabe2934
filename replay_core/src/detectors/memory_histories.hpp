// The accesses to each byte of plain memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/run_words.hpp>

#include "access_history.hpp"

namespace orrery::detail {

/// Histories by address.  Eight bytes have one history as long as they are accessed together; then
/// one for each half, as arrays of ints need them; then one for each byte.  So neighbours do not
/// race.  Those of second halves lie elsewhere: what nobody splits takes half the memory, and half
/// the time to bring it from there.
class MemoryHistories {
 public:
  explicit MemoryHistories(ReadSets& sets) : sets_(sets) {}

  /// As if nobody had ever accessed anything: between two runs, in which the sets are cleared, too.
  void clear();
  /// Notes accesses, each to all of its bytes.  `place_of(counter)` numbers places; calls
  /// `raced(access, place)` after one that made `by` tell races.
  template <typename PlaceOf, typename Raced>
  void access(std::span<const MemoryAccess> accesses, Accessor& by, const PlaceOf& place_of,
              const Raced& raced);
  /// As if nobody had ever accessed it.  Whole words only: what is given back is larger.
  void forget(Address address, std::uint64_t size_bytes);
  /// Calls `function(epoch)` for each number of an epoch, but for those in sets.
  template <typename Function>
  void for_each_epoch(const Function& function);

 private:
  static constexpr Address word_bytes = 8;
  using ByteMask = std::uint8_t;
  static constexpr ByteMask low_half = 0x0f, high_half = 0xf0, all_bytes = 0xff;

  /// What stands at the first history of a word, or at the only one.
  enum Sort : PlaceNumber {
    whole = 0,                ///< it is of all eight bytes
    in_halves = 0x4000'0000,  ///< it is of the first half
    in_bytes = 0x8000'0000    ///< it is none: its number is that of a `Bytes`
  };
  using Bytes = std::array<AccessHistory, word_bytes>;

  /// One access to one word.  Handed on by value: in two registers.
  struct Step {
    AccessKind kind;
    PlaceNumber place;
    Accessor& by;
    [[nodiscard]] bool writes() const { return kind == AccessKind::write; }
    [[gnu::always_inline]] void to(AccessHistory& history) const {
      history.access(writes(), place, by);
    }
    /// The same to the history of a half, which keeps its sort.
    [[nodiscard]] Step in_half() const { return {kind, place | in_halves, by}; }
  };

  static constexpr ByteMask mask(Address first, Address count) {
    return static_cast<ByteMask>(((1U << count) - 1U) << first);
  }
  /// Where an access begins in its word, and how many bytes it takes, in one number.
  using Shape = std::uint64_t;
  static constexpr Shape shape(Address first, Address count) { return count * word_bytes + first; }
  /// The one history of all that is accessed; null: there are several, or will be.  `first`: of the
  /// word in which it begins.
  [[gnu::always_inline]] AccessHistory* only_history(AccessHistory& first,
                                                     const MemoryAccess& access) {
    const Shape accessed = shape(access.address() % word_bytes, access.size_bytes());
    const PlaceNumber sort = first.sort();
    if (accessed == shape(0, word_bytes)) return sort == whole ? &first : nullptr;
    if (sort != in_halves) return nullptr;
    if (accessed == shape(0, word_bytes / 2)) return &first;
    const bool is_second = accessed == shape(word_bytes / 2, word_bytes / 2);
    return is_second ? &seconds_.at(access.address()) : nullptr;
  }
  /// `first`: of the word in which the address lies.
  void to(AccessHistory& first, Address address, ByteMask bytes, Step step) {
    const PlaceNumber sort = first.sort();
    if (sort == whole && bytes == all_bytes) return step.to(first);
    if (sort == in_halves && bytes == all_bytes) {
      return to_both_halves(first, seconds_.at(address), step);
    }
    to_parts(first, address, bytes, step);
  }
  /// Calls `function(address, bytes)` for the part in each word.
  template <typename Function>
  static void for_each_part(Address address, std::uint64_t size_bytes, const Function& function) {
    const Address end = address + size_bytes;
    while (address < end) {
      const Address first = address % word_bytes;
      const Address count = std::min(word_bytes - first, end - address);
      function(address, mask(first, count));
      address += count;
    }
  }
  /// `first`: of the word in which it begins.
  [[gnu::always_inline]] void to_all(AccessHistory& first, const MemoryAccess& access, Step step) {
    const std::uint64_t size_bytes = access.size_bytes();
    if (size_bytes == 2 * word_bytes && access.address() % size_bytes == 0) {
      // What vectorised loops and complex numbers are accessed by.
      AccessHistory& second = RunWords<AccessHistory>::next(first);
      if (first.sort() == whole && second.sort() == whole) return to_both(first, second, step);
    } else if (size_bytes == word_bytes && access.address() % size_bytes == 0 &&
               first.sort() == in_halves) {
      return to_both_halves(first, seconds_.at(access.address()), step);
    }
    to_each_part(access, step);
  }
  [[gnu::noinline]] void to_each_part(const MemoryAccess& access, Step step);
  /// To two words that are accessed together, and most often always were.
  [[gnu::always_inline]] static void to_both(AccessHistory& one, AccessHistory& other, Step step) {
    const AccessHistory before = one;
    step.to(one);
    if (other == before && !before.is_shared() && !one.is_shared()) {
      other.follow(one, step.writes());
    } else {
      step.to(other);
    }
  }
  [[gnu::noinline]] void to_parts(AccessHistory& first, Address address, ByteMask bytes, Step step);
  [[gnu::noinline]] void to_both_halves(AccessHistory& first, AccessHistory& second, Step step);
  void to_bytes(AccessHistory& first, ByteMask bytes, Step step);
  void split_into_bytes(AccessHistory& first, AccessHistory& second);
  void join_if_alike(AccessHistory& first, Bytes& all);
  void drop(AccessHistory& first);

  ReadSets& sets_;
  RunWords<AccessHistory> firsts_;
  RunWords<AccessHistory> seconds_;  ///< empty but where the first is in halves
  std::vector<Bytes> bytes_;
  std::vector<std::uint32_t> free_bytes_;
};

template <typename PlaceOf, typename Raced>
void MemoryHistories::access(std::span<const MemoryAccess> accesses, Accessor& by,
                             const PlaceOf& place_of, const Raced& raced) {
  // As many as memory can be asked for at once.  It brings the first histories of some while we
  // look which of those before have a second, and are at those before these.
  constexpr std::size_t ahead = 16;
  const EpochNumber epoch = by.epoch;
  const auto take = [&](AccessHistory & first, const MemoryAccess& one)
      __attribute__((always_inline)) {
    const bool writes = one.kind() == AccessKind::write;
    AccessHistory* const only = only_history(first, one);
    if (only != nullptr && only->is_accessed_in(writes, epoch)) return;
    const PlaceNumber place = place_of(one.counter());
    if (only != nullptr) {
      only->access_first(writes, place | first.sort(), by);
    } else {
      to_all(first, one, {one.kind(), place, by});
    }
    if (by.has_raced()) raced(one, place);
  };
  if (accesses.size() <= ahead) {
    // What lies between two locks: the processor looks that far ahead by itself.
    for (const MemoryAccess& one : accesses) take(firsts_.at(one.address()), one);
    return;
  }
  struct Part {
    std::span<const MemoryAccess> accesses;
    std::array<AccessHistory*, ahead> firsts;
  };
  std::array<Part, 4> parts;
  const auto find_firsts = [&](Part& part) {
    part.accesses = accesses.first(std::min(ahead, accesses.size()));
    accesses = accesses.subspan(part.accesses.size());
    for (std::size_t i = 0; i < part.accesses.size(); ++i) {
      part.firsts[i] = &firsts_.at(part.accesses[i].address());
      __builtin_prefetch(part.firsts[i], 1);
    }
  };
  const auto find_seconds = [&](const Part& part) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < part.accesses.size(); ++i) {
      if (part.firsts[i]->sort() == in_halves) seconds_.prefetch(part.accesses[i].address());
    }
  };
  find_firsts(parts[0]);
  find_firsts(parts[1]);
  find_firsts(parts[2]);
  find_seconds(parts[0]);
  for (std::size_t turn = 0; !parts[turn].accesses.empty(); turn = (turn + 1) % parts.size()) {
    find_firsts(parts[(turn + 3) % parts.size()]);
    find_seconds(parts[(turn + 1) % parts.size()]);
    const Part& now = parts[turn];
    for (std::size_t i = 0; i < now.accesses.size(); ++i) take(*now.firsts[i], now.accesses[i]);
  }
}

template <typename Function>
void MemoryHistories::for_each_epoch(const Function& function) {
  firsts_.for_each([&](AccessHistory& one) {
    if (one.sort() != in_bytes) one.for_each_epoch(function);
  });
  seconds_.for_each([&](AccessHistory& one) { one.for_each_epoch(function); });
  for (Bytes& one : bytes_) {
    for (AccessHistory& history : one) history.for_each_epoch(function);
  }
}

}  // namespace orrery::detail
