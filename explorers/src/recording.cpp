#include "recording.hpp"

#include <orrery/replay_core/schedule_recorder.hpp>

#include "keyed_draw.hpp"

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

std::uint64_t fingerprint(std::span<const ScheduleEntry> entries) {
  // The words of an entry are multiplied side by side; only the last step of each waits for the
  // entry before.
  std::uint64_t result = entries.size();
  for (const ScheduleEntry& entry : entries) {
    const std::uint64_t kinds = static_cast<std::uint64_t>(entry.type) << 16U |
                                static_cast<std::uint64_t>(entry.operation) << 8U |
                                static_cast<std::uint64_t>(entry.choice);
    const std::uint64_t word = entry.id.packed() * 0x9e3779b97f4a7c15U +
                               (entry.content ^ kinds << 40U) * 0xbf58476d1ce4e5b9U;
    result = (result ^ word ^ word >> 32U) * 0x94d049bb133111ebU;
    result ^= result >> 32U;
  }
  return mix64(result);
}

}  // namespace orrery::detail
