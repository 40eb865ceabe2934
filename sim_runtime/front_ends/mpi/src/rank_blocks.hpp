// The part of a collective's buffer that belongs to each rank.
#pragma once

#include "collectives.hpp"

namespace orrery::mpi {

/// A buffer with one block a rank: blocks of equal size side by side, or counts and displacements.
struct RankBlocks {
  const Datatype* type = nullptr;
  void* buffer = nullptr;
  int count = 0;                       ///< of each block, if there are no counts
  const int* counts = nullptr;         ///< of the `v` variants
  const int* displacements = nullptr;  ///< in elements

  [[nodiscard]] std::size_t count_of(std::int32_t rank) const;
  [[nodiscard]] std::size_t bytes_of(std::int32_t rank) const {
    return count_of(rank) * type->size_bytes;
  }
  [[nodiscard]] void* address_of(std::int32_t rank) const;
};

/// What a rank contributes or wants: one run of elements; no type means MPI_IN_PLACE.
struct OwnBlock {
  const Datatype* type = nullptr;
  void* buffer = nullptr;
  std::size_t count = 0;
  [[nodiscard]] bool in_place() const { return type == nullptr; }
  [[nodiscard]] std::size_t size_bytes() const { return count * type->size_bytes; }
};

/// Checks the buffer of all ranks' blocks, uniform (no counts) or not.
int check_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                 const char* buffer_argument, RankBlocks& blocks);
/// Checks a rank's own block; MPI_IN_PLACE is taken where `in_place_allowed`.
int check_own(const Call& call, const Communicator& communicator, const void* buffer, int count,
              MPI_Datatype type, const char* buffer_argument, bool in_place_allowed,
              OwnBlock& block);

void gather(const Collective& collective, std::int32_t root, const OwnBlock& own,
            const RankBlocks& all);
void scatter(const Collective& collective, std::int32_t root, const RankBlocks& all,
             const OwnBlock& own);
void all_gather(const Collective& collective, const OwnBlock& own, const RankBlocks& all);
/// No `outgoing` type means MPI_IN_PLACE.
void all_to_all(const Collective& collective, const RankBlocks& outgoing,
                const RankBlocks& incoming);

}  // namespace orrery::mpi
