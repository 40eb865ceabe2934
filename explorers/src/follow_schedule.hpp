// A chooser that makes a recorded run again on the machine that made it.
#pragma once

#include "recorded_answers.hpp"

namespace orrery::detail {

/// Finds its answers by position: the n-th step of the run is the n-th of the record, and other
/// questions come in the order of the record.  Where the record ends or does not fit, the answer is
/// the undisturbed one.  Constrains nothing, so it is cheap and never diverges: for searches.
class ScheduleFollower final : public Chooser {
 public:
  explicit ScheduleFollower(const Schedule& schedule) : record_(schedule) {}
  void begin_run(const RunInfo&) override;

  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;

  /// Was there a step in this run that is another one in the record?
  [[nodiscard]] bool has_parted() const { return has_parted_; }

 private:
  [[nodiscard]] Decision choose_step(const ChoicePoint& point);

  RecordedAnswers record_;
  bool has_parted_ = false;
};

}  // namespace orrery::detail
