// Clocks that say the same again and again.
#pragma once

#include <cstdint>
#include <limits>

#include <orrery/replay_core/schedule.hpp>

namespace orrery::detail {

/// Takes a reading into the last entry of a schedule, if that is of the same clock, which said the
/// same: a program that asks until it is time would else fill the memory.
inline bool take_repeat(ScheduleEntry& last, const ScheduleEntry& reading) {
  const bool is_same = last.is_clock() && last.id == reading.id && last.content == reading.content;
  if (!is_same || last.repeats == std::numeric_limits<std::uint32_t>::max()) return false;
  ++last.repeats;
  return true;
}

}  // namespace orrery::detail
