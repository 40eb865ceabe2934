// Makes a run follow a schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery {

/// Where a program and its log part.
struct Parting {
  std::size_t entry = 0;  ///< index of the first entry of the schedule that was not followed
  std::string message;    ///< which operation was expected, and which came
  FindingPlace where;     ///< where in the program the one that came stands; the file may be empty
};

/// A chooser that admits only the next step of its schedule, and answers as the schedule does.  So
/// the run is the recorded one under any seed, window and network.
///
/// Where the program no longer fits, a strict replay stops at the first parting; a best-effort one
/// goes on as the fallback chooser says.  A schedule that is used up (a log of a run that died ends
/// early) is followed by the fallback's choices, and `is_used_up` says so.  One run at a time.
///
///     orrery::ScheduleReplayer replayer(schedule, fallback, orrery::ReplayMode::strict);
///     orrery::Outcome outcome = replayer.judge(simulation.run(program, replayer));
enum class ReplayMode : std::uint8_t { strict, best_effort };

class ScheduleReplayer final : public Chooser {
 public:
  /// Both must outlive the replayer.
  ScheduleReplayer(const Schedule& schedule, Chooser& fallback,
                   ReplayMode mode = ReplayMode::strict)
      : schedule_(schedule),
        fallback_(fallback),
        mode_(mode),
        keeps_clocks_(std::ranges::any_of(schedule.entries, &ScheduleEntry::is_clock)) {}

  /// Where the run parted from the schedule; nothing if it did not (so far).
  [[nodiscard]] const std::optional<Parting>& parted() const { return parted_; }
  /// Has everything in the schedule been done?
  [[nodiscard]] bool is_used_up() const { return wanted_index() == schedule_.entries.size(); }
  /// Steps and questions that came after the schedule's end, or after the parting, and were the
  /// fallback's.
  [[nodiscard]] std::uint64_t steps_beyond() const { return steps_beyond_; }
  /// The outcome of the run, corrected: that of a strict replay which parted is the one finding of
  /// kind `divergence`, whatever else the run came to afterwards.
  [[nodiscard]] Outcome judge(Outcome outcome) const;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;
  bool gives_way(const PendingOperations& pending) override;
  [[nodiscard]] bool lets_sleepers_wake() const override { return follows(); }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override;
  void end_run(const Outcome& outcome) override;

 private:
  /// Of the next entry that must come; draws of the network's need not.
  [[nodiscard]] std::size_t wanted_index() const;
  std::uint64_t choose_jitter(const ValueQuestion& question);
  std::uint64_t choose_clock(const ValueQuestion& question);
  [[nodiscard]] bool follows() const { return !parted_ && !is_used_up(); }
  [[nodiscard]] bool leaves_to_fallback() const {
    return parted_ ? mode_ == ReplayMode::best_effort : is_used_up();
  }
  Decision choose_step(const ChoicePoint& point);
  void part(std::string came, const PendingOperations* pending, TaskId task);
  void part_at_pending(const PendingOperations& pending);
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] std::string describe(OperationId id, OperationKind kind, ObjectId object) const;

  const Schedule& schedule_;
  Chooser& fallback_;
  ReplayMode mode_;
  bool keeps_clocks_;
  const Names* names_ = nullptr;
  std::size_t next_ = 0;
  std::uint32_t repeats_ = 0;  // of the next entry, a clock's: how often it was read so far
  std::uint64_t steps_beyond_ = 0;
  std::optional<Parting> parted_;
  std::optional<TaskId> unplaced_;  // of the parting: place it when the task can be looked at
};

}  // namespace orrery
