// What the functions have in common that programs call.
#pragma once

#include <orrery/replay_core/rank_spool.hpp>

#include "real_mpi.hpp"
#include "recording.hpp"

/// One of MPI's, in front of the library's own.
#define ORRERY_RECORDED extern "C" __attribute__((visibility("default")))

namespace orrery::on_hardware {

/// The program uses what the log does not hold.
void note_use(rank_spool::Use use);

}  // namespace orrery::on_hardware
