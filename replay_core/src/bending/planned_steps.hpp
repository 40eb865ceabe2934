// The steps that a bent run is to take, in order, and which of them have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/bent_runs.hpp>

namespace orrery::detail {

/// What a step is in any run: the same operation of the same task, whatever it does there; or the
/// same thing that happens to the message of a send.
struct StepKey {
  enum class What : std::uint8_t { task, timeout, delivery, transfer, recovery };
  OperationId id;
  What what = What::task;
  [[nodiscard]] static StepKey of(OperationId id, OperationKind kind);
  friend bool operator==(const StepKey&, const StepKey&) = default;
};

class PlannedSteps {
 public:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  PlannedSteps(const Schedule& schedule, const BendPlan& plan);

  /// Of the first step of this kind that has not come; `nowhere`: there is none.
  [[nodiscard]] std::size_t place_of(const StepKey& step) const;
  /// Of the first step that has not come, nor been left out.
  [[nodiscard]] std::size_t next() const { return next_; }
  [[nodiscard]] bool is_over() const { return next_ == steps_.size(); }
  [[nodiscard]] const StepKey& operator[](std::size_t place) const { return steps_[place]; }
  /// What the operation was in the recorded run.
  [[nodiscard]] OperationKind kind(std::size_t place) const { return kinds_[place]; }
  /// One has come; returns its place.
  std::size_t take(const StepKey& step);
  /// The next one is left out until it can come.
  void leave_out();
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t size() const { return steps_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const StepKey& step) const {
      const std::uint64_t word = step.id.packed() ^ static_cast<std::uint64_t>(step.what) << 60U;
      return word * 0x9e3779b97f4a7c15U >> 7U;
    }
  };
  void go_on();

  std::vector<StepKey> steps_;
  std::vector<OperationKind> kinds_;
  std::vector<std::size_t> next_same_;  // of each: the next one with its key
  std::vector<bool> is_done_;
  std::unordered_map<StepKey, std::size_t, Hash> first_;  // that has not come
  std::size_t next_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace orrery::detail
