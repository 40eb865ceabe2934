// What a run that shows a race shows of itself, of what is read, and of what is left.
#pragma once

#include <cstdint>
#include <optional>

#include <orrery/sim_runtime/observer.hpp>

#include "race_trial.hpp"
#include "schedules/run_trace.hpp"

namespace orrery::detail {

/// The plan must outlive it.
class TrialWatch final : public Observer {
 public:
  explicit TrialWatch(const TrialPlan& plan) : plan_(plan) {}

  void begin_run(const RunInfo& info) override { trace_.begin_run(info.names); }
  [[nodiscard]] EventMask interest() const override {
    return RunTrace::interest() | EventMask::of(OperationKind::read) |
           EventMask::of(OperationKind::write) | EventMask::accesses() |
           EventMask::accesses_at_once();
  }
  void on_event(const Event& event) override;
  void on_access(TaskId task, const MemoryAccess& access) override;
  void on_freed(Address /*address*/, std::uint64_t /*size_bytes*/) override { look(); }
  void end_run(const Outcome& outcome) override {
    look();
    trace_.end_run(outcome);
  }

  /// The two accesses have come.
  void both_are_next() { are_next_ = true; }
  [[nodiscard]] const RunTrace& trace() const { return trace_; }
  /// By one of the two.
  [[nodiscard]] std::optional<std::uint64_t> value_read() const { return read_; }
  /// What the raced-on bytes held when both were done.
  [[nodiscard]] std::optional<std::uint64_t> value_left() const { return left_; }

 private:
  void look();
  [[nodiscard]] bool is_access(std::size_t side, const Event& event) const;

  const TrialPlan& plan_;
  RunTrace trace_;
  bool are_next_ = false;
  unsigned come_ = 0;  ///< those of the two that have begun since; a bit each
  std::optional<std::uint64_t> read_;
  std::optional<std::uint64_t> left_;
};

}  // namespace orrery::detail
