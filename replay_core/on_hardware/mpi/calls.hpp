// What the functions of MPI have in common that programs call.
#pragma once

#include <orrery/replay_core/rank_spool.hpp>

#include "real_mpi.hpp"
#include "recorded_call.hpp"
#include "recording.hpp"

namespace orrery::on_hardware {

/// The program uses what the log does not hold.
void note_use(rank_spool::Use use);

}  // namespace orrery::on_hardware
