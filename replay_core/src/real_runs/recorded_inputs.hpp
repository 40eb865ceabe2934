// What the ranks of a real MPI job found outside.
#pragma once

#include <string>

#include <orrery/replay_core/recorded_job.hpp>

namespace orrery::detail {

/// Puts together what all ranks have noted: whoever looked first saw what was there before the job.
/// The ranks of the job must be known; sets `inputs` and `has_lost_standard_input`.
void read_recorded_inputs(const std::string& directory, const InputPolicy& policy,
                          RecordedJob& job);

}  // namespace orrery::detail
