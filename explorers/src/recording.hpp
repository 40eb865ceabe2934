// The explorers' use of what `replay_core` offers for schedules: the only place that names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/forwarding_chooser.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Room for the choices of one run; pages that are never touched cost nothing.
inline constexpr std::size_t recording_bytes = std::size_t{256} << 20U;

[[nodiscard]] std::vector<std::byte> to_bytes(const Schedule& schedule);
/// Throws `UsageError` for bytes that are no schedule.
[[nodiscard]] Schedule schedule_from(std::span<const std::byte> bytes);

/// A `ScheduleFollower` (follow_schedule.hpp) of a run in which tasks lost their turn at shared
/// accesses alone, where they may do so at all (`Preemption::all`): at accesses to what is not
/// shared they go on.
[[nodiscard]] std::unique_ptr<Chooser> make_follower_of_shared(const Schedule& schedule);

/// A schedule and who replays it.
struct ScheduleReplay {
  explicit ScheduleReplay(Schedule given)
      : schedule(std::move(given)), replayer(schedule, fallback) {}

  Schedule schedule;
  UndisturbedChooser fallback;
  ScheduleReplayer replayer;
};

/// A chooser that admits only what the record allows.  Whoever runs it has to put the outcome
/// right afterwards (`RunSession` does).
class JudgingReplayer final : private ScheduleReplay, public ForwardingChooser {
 public:
  explicit JudgingReplayer(Schedule wanted)
      : ScheduleReplay(std::move(wanted)), ForwardingChooser(replayer) {}
  [[nodiscard]] Outcome judge(Outcome outcome) const { return replayer.judge(std::move(outcome)); }
};

/// What a recorder left in shared memory, also when its process died.
[[nodiscard]] Schedule recorded_schedule(std::span<const std::byte> recording);

/// Tells the schedules of one search apart: cheaper than `hash`, and only good within a search.
[[nodiscard]] std::uint64_t fingerprint(std::span<const ScheduleEntry> entries);

}  // namespace orrery::detail
