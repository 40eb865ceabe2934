// Collective operations among neighbours in a topology (MPI 3.1, section 7.6).
#pragma once

#include "communicators/topology.hpp"
#include "moving_data.hpp"

namespace orrery::mpi {

/// Sends a block to each destination and receives one from each source; nobody waits for anybody
/// else.  Where `outgoing` has one block only, all destinations get that.
void exchange_with_neighbours(const Collective& collective, const Topology& topology,
                              const RankBlocks& outgoing, const RankBlocks& incoming);

}  // namespace orrery::mpi
