#include "recording.hpp"

#include <utility>

#include <orrery/replay_core/schedule_recorder.hpp>

namespace orrery::detail {

std::vector<std::byte> to_bytes(const Schedule& schedule) {
  return encode_schedule(schedule);
}

Schedule schedule_from(std::span<const std::byte> bytes) {
  return decode_schedule(bytes);
}

Schedule recorded_schedule(std::span<const std::byte> recording) {
  return ScheduleRecorder::read(recording);
}

JudgingReplayer::JudgingReplayer(Schedule schedule)
    : schedule_(std::move(schedule)), replayer_(schedule_, fallback_) {}

}  // namespace orrery::detail
