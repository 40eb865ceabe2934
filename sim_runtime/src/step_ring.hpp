// The last steps of a run that is about to hit its limit: is it going round in circles?
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery::detail {

/// Keeps the last steps, and tells whether every task that took part only repeats itself.
class StepRing {
 public:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::size_t repetitions = 4;

  struct Step {
    TaskId task;
    OperationKind kind = OperationKind::none;
    ObjectId object;
    std::uint64_t value = 0;  ///< what the operation would write: a counter that moves is progress
    SourceLocation where;
    friend bool operator==(const Step& a, const Step& b) {
      return a.task == b.task && a.kind == b.kind && a.object == b.object && a.value == b.value;
    }
  };
  void clear() { steps_.clear(); }
  /// Steps are only kept in the last `capacity` before the limit: no wrapping is needed.
  void push(const Step& step) { steps_.push_back(step); }

  /// For each task among the steps the shortest cycle that its own steps end with, `repetitions`
  /// times; empty if some task does not repeat itself.  Task by task, because a random schedule
  /// interleaves the circles anew each time.
  [[nodiscard]] std::vector<Step> cycles() const;

 private:
  std::vector<Step> steps_;
};

}  // namespace orrery::detail
