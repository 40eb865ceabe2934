// Collective operations between the two groups of an intercommunicator (MPI 3.1, section 5.2.3).
//
// What goes from one group to the other goes by their first ranks, with the algorithms of one group
// on both sides, or directly where blocks are large or differ.  Blocks to be sent and received are
// those of the other group.
#pragma once

#include "collective_call.hpp"
#include "reducing.hpp"

namespace orrery::mpi {

/// One element run from the root to all of the other group.
void broadcast_between(const Collective& collective, const RootedRole& role, const OwnBlock& data);

/// `all` is what the root has, `own` what each of the other group has.  Blocks of equal size,
/// unless `varies`.
void gather_between(const Collective& collective, const RootedRole& role, const OwnBlock& own,
                    const RankBlocks& all, bool varies);
void scatter_between(const Collective& collective, const RootedRole& role, const RankBlocks& all,
                     const OwnBlock& own, bool varies);
void all_gather_between(const Collective& collective, const OwnBlock& own, const RankBlocks& all,
                        bool varies);
/// Blocks of any size and type.
void all_to_all_between(const Collective& collective, const RankBlocks& outgoing,
                        const RankBlocks& incoming);

/// What the other group contributes, at the root.
void reduce_between(const Collective& collective, const Reduction& reduction,
                    const RootedRole& role, const void* contribution, void* result);
/// Each group gets what the other one contributes.
void all_reduce_between(const Collective& collective, const Reduction& reduction,
                        const void* contribution, void* result);
/// The same, scattered: `counts` are of the own group.
void reduce_scatter_between(const Collective& collective, const Reduction& reduction,
                            const BlockCounts& counts, const void* contribution, void* result);

}  // namespace orrery::mpi
