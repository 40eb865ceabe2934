// The order of a run's steps, bent.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/bent_runs.hpp>

#include "step_graph.hpp"

namespace orrery::detail {

/// Why a step has to come after another one: the steps, and what leads from each to the next.
struct StepPath {
  std::vector<std::uint32_t> steps;
  std::vector<StepEdge> edges;  ///< one less
};

/// Bends the order of a run's steps, one bend after the other.  For each one all that comes before
/// the step which is to wait stays as it was; then comes, in its old order, what the step that is
/// to come first needs; then that step; then the one that waited; then all the rest.
///
/// What a receive that is bent leads to is not known before the run is made.  It is taken to do
/// what it did, and the two messages to change places.
class BendOrder {
 public:
  explicit BendOrder(const StepGraph& graph);

  /// What is to come first, and what has to wait for it.
  struct Aim {
    std::uint32_t goal = 0;
    std::uint32_t receiver = nobody;  ///< whose message comes with the goal; nobody: none is bent
    std::vector<std::uint32_t> waiting = {};
  };

  /// What keeps the goal from coming before all that is to wait: how one of these leads to it;
  /// empty: nothing.
  [[nodiscard]] StepPath obstacle(const Aim& aim) const;
  /// Puts it there; nothing must keep it from that.  `last` comes right behind it; nobody: nothing
  /// has to.  Also for the bends that follow.
  void put_first(const Aim& aim, std::uint32_t last, std::uint32_t bend);
  /// `first` must come before `then`, whatever is bent.
  void require(std::uint32_t first, std::uint32_t then, StepOrder order,
               std::uint32_t about = nobody);
  /// From now on the receiver has that message, and who had it has its own one if it fits.
  void exchange(std::uint32_t receiver, std::uint32_t message);
  [[nodiscard]] std::uint32_t message_of(std::uint32_t receiver) const;
  [[nodiscard]] std::uint32_t taker_of(std::uint32_t message) const;

  [[nodiscard]] const std::vector<std::uint32_t>& steps() const { return order_; }
  [[nodiscard]] bool is_before(std::uint32_t a, std::uint32_t b) const {
    return place_[a] < place_[b];
  }
  /// Where in the order it stands.
  [[nodiscard]] std::uint32_t place(std::uint32_t step) const { return place_[step]; }

 private:
  /// What comes after steps that are to wait, among those up to the goal.
  struct Followers {
    std::uint32_t begin = 0;     // the first place of all
    std::vector<bool> contains;  // by step
    std::unordered_map<std::uint32_t, StepEdge> reached_by;
  };

  template <typename Look>
  void for_each_edge(std::uint32_t step, const Aim& aim, Look look) const;
  [[nodiscard]] Followers followers(const Aim& aim) const;

  const StepGraph& graph_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // by step
  // What has been bent so far.
  std::unordered_map<std::uint32_t, std::vector<StepEdge>> required_;  // by step
  std::unordered_map<std::uint32_t, std::uint32_t> messages_;          // by receiver
  std::unordered_map<std::uint32_t, std::uint32_t> takers_;            // by message
};

}  // namespace orrery::detail
