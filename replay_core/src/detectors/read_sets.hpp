// Reads of one variable by several tasks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "order/epoch_numbers.hpp"
#include "order/place_table.hpp"

namespace orrery::detail {

/// One access: when and where.
struct Access {
  EpochNumber epoch = 0;
  PlaceNumber place = 0;
  friend constexpr bool operator==(const Access&, const Access&) = default;
};

/// Which reads a variable has had of which no later one knows the earlier: at most one of each
/// task.  Variables that were read by the same tasks at the same places in the same epochs, as the
/// elements of a matrix are, share one set; what nobody has is used again.
class ReadSets {
 public:
  using Number = std::uint32_t;

  void clear();
  /// The set of these two.
  Number pair(const Access& first, const Access& second, const EpochNumbers& epochs);
  /// What becomes of a variable's set when it is read once more.  A second read in one epoch
  /// changes nothing.
  Number with(Number set, const Access& read, const EpochNumbers& epochs);
  /// For one more variable.
  Number share(Number set) {
    ++sets_[set].users;
    return set;
  }
  void release(Number set) {
    if (--sets_[set].users == 0) recycle(set);
  }
  /// By task.
  [[nodiscard]] std::span<const Access> reads(Number set) const { return sets_[set].reads; }
  /// Calls `function(access)` for each read of each set.
  template <typename Function>
  void for_each(const Function& function) {
    for (Set& set : sets_) {
      for (Access& read : set.reads) function(read);
    }
    steps_ = {};
  }

 private:
  struct Set {
    std::vector<Access> reads;         ///< ordered by task
    std::vector<std::uint32_t> tasks;  ///< theirs
    std::uint32_t users = 0;
    std::uint32_t version = 0;  ///< goes up when it becomes another one
  };
  /// What came of a read a moment ago: most likely the next variable takes the same step.
  struct Step {
    bool is_pair = false;
    Access first;  ///< or the set and its version
    Access read;
    Number result = 0;
    std::uint32_t version = 0;  ///< of the result; sets begin with 1
  };
  static constexpr std::size_t step_count = 64;

  [[nodiscard]] Step& step_for(const Access& from, const Access& read) {
    return steps_[(from.epoch * 31U + from.place * 7U + read.place) % step_count];
  }
  [[nodiscard]] bool leads_on(const Step& step, bool is_pair, const Access& from,
                              const Access& read) const {
    return step.version != 0 && step.is_pair == is_pair && step.first == from &&
           step.read == read && sets_[step.result].version == step.version;
  }
  [[gnu::noinline]] Number extended(Number set, const Access& read, const EpochNumbers& epochs);
  /// Where the task is among these, or would be.
  static std::size_t place_of(std::uint32_t task, const std::vector<std::uint32_t>& tasks);
  Number fresh();
  void recycle(Number set);

  std::vector<Set> sets_;
  std::vector<Number> free_;
  std::array<Step, step_count> steps_{};
};

}  // namespace orrery::detail
