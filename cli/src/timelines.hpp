// Timelines of runs that have to be made again for it.
#pragma once

#include <string>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A run that died took its timeline with it: makes it again up to its last step, which it does
/// not take, and puts the field `timeline` into `result.more`.  Does nothing where there is one.
void add_timeline_of_dead(const FoundProgram& program, IsolatedResult& result);

/// The timeline of a recorded run, which is made again.
[[nodiscard]] std::string timeline_of(const FoundProgram& program, const Schedule& schedule);

}  // namespace orrery::cli
