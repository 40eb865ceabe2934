#include "choices_recorder.hpp"

#include "saved_run.hpp"
#include "schedule_recorder.hpp"

namespace orrery::detail {
namespace {

class ChoicesRecorder final : public Recorder {
 public:
  [[nodiscard]] Observer& observer() override { return recorder_; }
  void append_to(LogWriter& log) const override { append_schedule(log, recorder_.schedule()); }

 private:
  ScheduleRecorder recorder_;
};

}  // namespace

std::unique_ptr<Recorder> make_choices_recorder() {
  return std::make_unique<ChoicesRecorder>();
}

}  // namespace orrery::detail
