// Collective operations that move data and compute nothing (MPI 3.1, sections 5.4 to 5.8).
//
// Each has an algorithm for little data, of few messages, because a search has to order them, and
// one for much, of many messages of which none is large.  Most are in R. Thakur, R. Rabenseifner
// and W. Gropp, Optimization of Collective Communication Operations in MPICH, 2005.  Blocks are
// those of the collective's group, whatever their `number`.
#pragma once

#include "rank_blocks.hpp"

namespace orrery::mpi {

/// One element run from the root to all.
void broadcast(const Collective& collective, std::int32_t root, const OwnBlock& data);

/// Blocks of equal size (unless `varies`: then only the root knows all sizes).
void gather(const Collective& collective, std::int32_t root, const OwnBlock& own,
            const RankBlocks& all, bool varies = false);
void scatter(const Collective& collective, std::int32_t root, const RankBlocks& all,
             const OwnBlock& own, bool varies = false);
void all_gather(const Collective& collective, const OwnBlock& own, const RankBlocks& all);

/// Blocks of equal size.  No `outgoing` type means MPI_IN_PLACE.
void all_to_all(const Collective& collective, const RankBlocks& outgoing,
                const RankBlocks& incoming);
/// Blocks of any size and type.
void all_to_all_varied(const Collective& collective, const RankBlocks& outgoing,
                       const RankBlocks& incoming);

/// All ranks get the blocks of all others, which lie side by side in `data` and begin at
/// `offsets[rank]`, up to `offsets[size]`; each has its own block in place.
void all_gather_ring(const Collective& collective, std::byte* data, const std::size_t* offsets);

}  // namespace orrery::mpi
