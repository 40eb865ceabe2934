// Does a program do the same again when every choice is the same?
#pragma once

#include <optional>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// Runs a schedule twice and compares the event streams.  A program that reads an address, the real
/// time or a variable left from the run before shows itself: the finding, of kind `divergence`,
/// names the first event that differs, its task and its line.  Throws `UsageError` only.
///
///     if (auto finding = orrery::check_determinism(simulation, program, schedule))
///     report(*finding);
[[nodiscard]] std::optional<Finding> check_determinism(Simulation& simulation,
                                                       const Program& program,
                                                       const Schedule& schedule);

}  // namespace orrery
