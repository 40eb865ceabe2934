// Who waits for whom, once nobody can go on.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::detail {

/// One thing without which a waiter does not go on.
struct Need {
  std::vector<std::size_t> from;  ///< the waiters of which any could bring it
  bool from_anybody = false;      ///< all of them could, as far as is known
  bool could_buffer = false;      ///< the end of a send which would be there, had it been buffered
};

/// Whoever cannot go on: until all needs are met, or the first of them.
struct Waiter {
  std::vector<Need> needs;
  bool one_is_enough = false;
};

/// A deadlock as an AND-OR graph, as in E. Knapp, "Deadlock detection in distributed databases"
/// (1987), for resources and messages alike.  Waiters are known by their numbers.
class WaitGraph {
 public:
  explicit WaitGraph(std::vector<Waiter> waiters) : waiters_(std::move(waiters)) {}

  /// Who could go on, had all sends been buffered that need no receive: those that wait for nothing
  /// else, and then whoever may get something from them, and so on.
  [[nodiscard]] std::vector<bool> freed_by_buffers() const;
  /// The shortest circle of waiters who each need the next one and nobody in his place; of equally
  /// short ones that of the lowest numbers.  Empty: there is none.
  [[nodiscard]] std::vector<std::size_t> circle() const;

 private:
  [[nodiscard]] bool is_met(std::size_t waiter, const Need& need, const std::vector<bool>& is_freed,
                            std::size_t freed_count) const;
  [[nodiscard]] std::vector<std::size_t> circle_from(std::size_t start) const;

  std::vector<Waiter> waiters_;
};

}  // namespace orrery::detail
