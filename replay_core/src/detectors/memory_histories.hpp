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
/// race.
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

  /// The second is a mark where it is not of the second half: see `Sort`.
  struct Word {
    std::array<AccessHistory, 2> halves;
  };
  /// What the marks of words say.
  enum Sort : EpochNumber {
    whole = EpochNumbers::end,  ///< the first is of all eight bytes
    in_bytes                    ///< the mark's number is that of a `Bytes`
  };
  using Bytes = std::array<AccessHistory, word_bytes>;

  /// One access to one word.
  struct Step {
    AccessKind kind;
    PlaceNumber place;
    Accessor& by;
    void to(AccessHistory& history) const {
      if (kind == AccessKind::write) {
        history.write(place, by);
      } else {
        history.read(place, by);
      }
    }
  };

  static constexpr ByteMask mask(Address first, Address count) {
    return static_cast<ByteMask>(((1U << count) - 1U) << first);
  }
  /// The one history of these bytes; null: they have several, or have it in common with others.
  [[nodiscard]] static AccessHistory* only_history(Word& word, ByteMask bytes) {
    const EpochNumber sort = word.halves[1].sort();
    if (sort == whole) return bytes == all_bytes ? word.halves.data() : nullptr;
    if (sort == in_bytes) return nullptr;
    if (bytes == low_half) return word.halves.data();
    return bytes == high_half ? &word.halves[1] : nullptr;
  }
  [[gnu::always_inline]] void to(Word& word, ByteMask bytes, Step step) {
    AccessHistory* const only = only_history(word, bytes);
    if (only == nullptr) {
      to_parts(word, bytes, step);
    } else if (step.kind == AccessKind::write) {
      only->write(step.place, step.by);
    } else {
      only->read(step.place, step.by);
    }
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
  [[gnu::noinline]] void to_parts(Word& word, ByteMask bytes, Step step);
  void to_bytes(Word& word, ByteMask bytes, const Step& step);
  void split_into_bytes(Word& word);
  void join_if_alike(Word& word, Bytes& all);
  void drop(Word& word);

  ReadSets& sets_;
  RunWords<Word> words_;
  std::vector<Bytes> bytes_;
  std::vector<std::uint32_t> free_bytes_;
};

template <typename PlaceOf, typename Raced>
void MemoryHistories::access(std::span<const MemoryAccess> accesses, Accessor& by,
                             const PlaceOf& place_of, const Raced& raced) {
  // As many as memory can be asked for at once.
  std::array<Word*, 16> words;
  while (!accesses.empty()) {
    const std::size_t count = std::min(words.size(), accesses.size());
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = &words_.at(accesses[i].address());
      __builtin_prefetch(words[i], 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const MemoryAccess& one = accesses[i];
      const PlaceNumber place = place_of(one.counter());
      const Address first = one.address() % word_bytes;
      const std::uint64_t size_bytes = one.size_bytes();
      if (first + size_bytes <= word_bytes) {
        to(*words[i], mask(first, size_bytes), {one.kind(), place, by});
      } else {
        for_each_part(one.address(), size_bytes, [&](Address address, ByteMask bytes) {
          to(words_.at(address), bytes, {one.kind(), place, by});
        });
      }
      if (by.has_raced()) raced(one, place);
    }
    accesses = accesses.subspan(count);
  }
}

template <typename Function>
void MemoryHistories::for_each_epoch(const Function& function) {
  words_.for_each([&](Word& word) {
    word.halves[0].for_each_epoch(function);
    if (word.halves[1].sort() < EpochNumbers::end) word.halves[1].for_each_epoch(function);
  });
  for (Bytes& one : bytes_) {
    for (AccessHistory& history : one) history.for_each_epoch(function);
  }
}

}  // namespace orrery::detail
