// Atomic accesses to memory that somebody frees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <orrery/sim_runtime/freeing_places.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/run_words.hpp>

#include "atomic_accesses.hpp"
#include "freed_words.hpp"
#include "order/place_table.hpp"
#include "order/vector_clock.hpp"
#include "race_list.hpp"

namespace orrery::detail {

/// An atomic access races with no other access that we look for, but with the end of the block in
/// which it is: finds those of an unchanged program that nothing orders, whichever comes first.
///
/// Atomics are kept by words of eight bytes, and so are frees: a block ends as a whole.
class FreedAtomics {
 public:
  /// Where races are put, and the table that numbers their places.
  FreedAtomics(RaceList& found, PlaceTable& places) : found_(found), places_(places) {}
  void clear();

  /// To be called before the event orders anything; those that are no atomic accesses change
  /// nothing.  `clock`: what its task knows.
  void access(const Event& event, const VectorClock& clock) {
    if (is_atomic_access(event)) access_atomic(event, clock);
  }

  /// Plain accesses, among which are the writes that free blocks.
  void access(TaskId task, std::span<const MemoryAccess> accesses, const VectorClock& clock) {
    const std::uint64_t count = free_count();
    if (count != free_count_) look_for_frees(task, accesses, clock);
    free_count_ = count;
  }
  /// What is there from now on is something else.
  void forget(Address address, std::uint64_t size_bytes);

 private:
  static constexpr Address word_bytes = FreedWords::word_bytes;
  struct Past {
    Epoch epoch;
    PlaceNumber place = 0;
    MemoryAccess access;
  };
  struct Free {
    Epoch epoch;
    PlaceNumber place = 0;
  };
  /// Older ones are forgotten: a run may free for ever.
  static constexpr std::uint32_t frees_max = 1U << 20U;

  /// Where what is known of an atomic stands, once it is: looked for once in a run.
  struct Words {
    std::uint32_t* accesses = nullptr;
    FreedWords::Place free;
  };

  void access_atomic(const Event& event, const VectorClock& clock);
  void look_for_frees(TaskId task, std::span<const MemoryAccess> accesses,
                      const VectorClock& clock);
  void free(TaskId task, AddressRange block, ProgramCounter counter, const VectorClock& clock);
  [[nodiscard]] std::vector<Past>& list_of(std::uint32_t& number);
  /// Null: that is none, or has been forgotten.
  [[nodiscard]] const Free* free_of(std::uint32_t number) const {
    const bool is_kept = number != 0 && last_free_ - number < frees_max;
    return is_kept ? &frees_[number % frees_max] : nullptr;
  }
  [[nodiscard]] std::uint32_t number_of(const Free& free);
  void tell(const RacingAccess& now, const RacingAccess& earlier, const MemoryAccess& atomic);

  RaceList& found_;
  PlaceTable& places_;
  AtomicObjects<Words> atomics_;
  std::uint64_t free_count_ = 0;
  RunWords<std::uint32_t> access_words_;     ///< the numbers of lists; 0: there are none
  std::vector<std::vector<Past>> accesses_;  ///< by number, less one: of those nobody knew of
  std::vector<std::uint32_t> unused_accesses_;
  FreedWords freed_;
  std::vector<Free> frees_;  ///< by number modulo `frees_max`
  std::uint32_t last_free_ = 0;
};

}  // namespace orrery::detail
