// Does a program do the same again when every choice is the same?
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// Watches a run that makes the same choices as an earlier one and compares its events with those
/// of the earlier one, which must outlive it.
class EventComparison final : public Observer {
 public:
  explicit EventComparison(std::span<const EventStream::Entry> before) : before_(before) {}
  /// After the run: the first event that differs, as a finding of kind `divergence`.
  [[nodiscard]] const std::optional<Finding>& difference() const { return difference_; }

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override { return now_.interest(); }
  void on_event(const Event& event) override { now_.on_event(event); }
  void end_run(const Outcome& outcome) override;

 private:
  [[nodiscard]] std::string text(std::span<const EventStream::Entry> stream,
                                 std::size_t index) const;
  [[nodiscard]] Finding finding(std::size_t index) const;

  std::span<const EventStream::Entry> before_;
  EventStream now_;
  const Names* names_ = nullptr;
  std::optional<Finding> difference_;
};

/// Runs a schedule twice and compares the event streams.  A program that reads an address, the real
/// time or a variable left from the run before shows itself: the finding, of kind `divergence`,
/// names the first event that differs, its task and its line.  Throws `UsageError` only.
///
///     if (auto finding = orrery::check_determinism(simulation, program, schedule))
///     report(*finding);
[[nodiscard]] std::optional<Finding> check_determinism(Simulation& simulation,
                                                       const Program& program,
                                                       const Schedule& schedule);

}  // namespace orrery
