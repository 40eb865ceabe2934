// What a replay that has parted from its log comes to, by whatever method it was recorded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>

namespace orrery::detail {

/// Where a task comes to something else than its records say.
[[nodiscard]] Parting parting_in(const std::string& task, std::string_view expected,
                                 std::string_view came);
/// The outcome of a run, corrected: of a strict replay that has parted it is that parting alone.
[[nodiscard]] Outcome judge_replay(Outcome outcome, const std::optional<Parting>& parted,
                                   ReplayMode mode);
/// Of a run that goes on and on where somebody else has ended the recorded one: that end, and what
/// its tasks were about to do.
[[nodiscard]] Outcome come_to_end(Outcome outcome, Finding recorded);
/// Has the run died of what the recorded one died of?  Then others may not have come as far as
/// there.
[[nodiscard]] bool has_died_again(std::span<const Finding> recorded, const Outcome& outcome);

/// Has the run ended so that not everybody need have come to where the recorded one ended?
[[nodiscard]] bool need_not_be_over(const SavedRun& recorded, const Outcome& outcome);

/// Did the recorded run end because it had gone on for so long, or in circles?  Then there is more
/// to come behind its log.
[[nodiscard]] bool was_cut_at_limit(const SavedRun& recorded);

}  // namespace orrery::detail
