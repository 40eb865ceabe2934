// Random runs with few preemptions, for shrinking.
#pragma once

#include <cstdint>
#include <memory>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// A chooser that preempts at most `preemptions` times a run, at random among the first `steps`
/// steps, and otherwise draws among the answers that take no task's turn.  Each `index` gives other
/// draws in the same run.
[[nodiscard]] std::unique_ptr<Chooser> make_bounded_random(std::uint64_t preemptions,
                                                           std::uint64_t steps,
                                                           std::uint64_t index);

}  // namespace orrery::detail
