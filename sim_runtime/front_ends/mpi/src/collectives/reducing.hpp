// Collective operations that compute (MPI 3.1, sections 5.9 to 5.11).
//
// As in moving_data.hpp: an algorithm of few messages for little data, another for much.  All
// combine in rank order.
#pragma once

#include "partial_results.hpp"
#include "rank_blocks.hpp"

namespace orrery::mpi {

/// Reduces `contribution` of all ranks, in rank order, into `result` at the root.
void reduce(const Collective& collective, const Reduction& reduction, std::int32_t root,
            const void* contribution, void* result);
/// All ranks get the same bits.
void all_reduce(const Collective& collective, const Reduction& reduction, const void* contribution,
                void* result);
/// Each rank gets its block of the result; `counts` has the elements of each, or `count` is that of
/// all.
struct BlockCounts {
  const int* counts = nullptr;
  int count = 0;
  [[nodiscard]] std::size_t of(std::int32_t rank) const {
    return static_cast<std::size_t>(counts == nullptr ? count : counts[rank]);
  }
};
void reduce_scatter(const Collective& collective, const Reduction& reduction,
                    const BlockCounts& counts, const void* contribution, void* result);
/// The result of the ranks up to the own one.
void scan(const Collective& collective, const Reduction& reduction, const void* contribution,
          void* result);
/// Of the ranks before the own one; rank 0 gets nothing.
void exclusive_scan(const Collective& collective, const Reduction& reduction,
                    const void* contribution, void* result);

/// Along a binomial tree, to rank 0, whose partial result is that of all afterwards.
void reduce_to_first(const Collective& collective, PartialResult& partial);

}  // namespace orrery::mpi
