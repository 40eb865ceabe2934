#include "choices_recorder.hpp"

#include <utility>

#include "saved_run.hpp"
#include "schedule_recorder.hpp"

namespace orrery::detail {
namespace {

class ChoicesRecorder final : public Recorder {
 public:
  [[nodiscard]] Observer& observer() override { return recorder_; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const override {
    return schedule_blocks(recorder_.schedule());
  }

 private:
  ScheduleRecorder recorder_;
};

class ChoicesReplayer final : public Replayer {
 public:
  ChoicesReplayer(const Schedule& schedule, Chooser& fallback, ReplayMode mode)
      : replayer_(schedule, fallback, mode) {}
  [[nodiscard]] Chooser& chooser() override { return replayer_; }
  [[nodiscard]] const std::optional<Parting>& parted() const override { return replayer_.parted(); }
  [[nodiscard]] std::uint64_t steps_beyond() const override { return replayer_.steps_beyond(); }
  [[nodiscard]] Outcome judge(Outcome outcome) const override {
    return replayer_.judge(std::move(outcome));
  }

 private:
  ScheduleReplayer replayer_;
};

}  // namespace

std::unique_ptr<Recorder> make_choices_recorder() {
  return std::make_unique<ChoicesRecorder>();
}

std::unique_ptr<Replayer> make_choices_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode) {
  return std::make_unique<ChoicesReplayer>(run.schedule, fallback, mode);
}

}  // namespace orrery::detail
