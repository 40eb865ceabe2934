// What calls of a rank do to its own part of a window (MPI 3.1, section 11.7).
#pragma once

#include "calls/call.hpp"
#include "collectives/rank_blocks.hpp"

namespace orrery::mpi {

/// A finding if a call writes to memory of its rank's part of a window to which a put or an
/// accumulate goes in an epoch that is open there, or that its origin has not completed.  Nothing
/// can order the two: a store "must not be started once a put or accumulate update to that location
/// has started, until the put or accumulate update has completed at the target".  Reading there is
/// valid in the unified model, whatever is read.
void check_local_store(const Call& call, const BufferView& view);
/// The same of all that a collective operation gives to a rank.
void check_local_stores(const Call& call, const RankBlocks& received);

}  // namespace orrery::mpi
