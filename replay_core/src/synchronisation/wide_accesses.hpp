// Accesses of several words at once: how far they reach, and assignments, which are two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

/// An access of several words.
struct WideAccess {
  VariablePlace place;      ///< of the first word
  std::uint64_t words = 0;  ///< with that
  bool is_read = false;
};
/// The access by which a task of the run comes to `place`, as a step of that kind; nothing if it is
/// of one word.
[[nodiscard]] std::optional<WideAccess> wide_access(TaskId task, OperationKind kind,
                                                    const VariablePlace& place);

/// Structures that replayed tasks may be about to assign.  Whoever assigns one tells of its target,
/// then of its source, and does both then: nobody came to the target between, so nobody may.
class HalfAssigned {
 public:
  /// `pending` must outlive the run.
  void begin(const PendingOperations* pending);
  /// The task, as the replay calls it, goes on: what it told of before is done.
  void steps(TaskId task);
  /// It may be about to write so many words, of which this is one.  `unit`: what is written as a
  /// whole there; `turns_before`: how often that had been written or read in its order.
  void writes(TaskId task, std::uint64_t words, std::uint64_t unit, std::uint64_t turns_before = 0);
  [[nodiscard]] bool is_empty() const { return places_.empty(); }
  /// Is another task about to?  Then how many turns came before.
  [[nodiscard]] std::optional<std::uint64_t> by_others(TaskId task, std::uint64_t unit) const;
  /// Nothing else is to come: then there is no such order, and others come to what is half done.
  /// False: nobody was about to.
  [[nodiscard]] bool lift();

 private:
  struct Place {
    TaskId task;
    std::uint64_t unit = 0;
    std::uint64_t turns_before = 0;
  };
  const PendingOperations* pending_ = nullptr;
  std::vector<Place> places_;
};

}  // namespace orrery::detail
