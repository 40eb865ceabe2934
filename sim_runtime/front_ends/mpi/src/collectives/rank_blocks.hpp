// The part of a collective's buffer that belongs to each rank.
#pragma once

#include <span>
#include <vector>

#include "collectives.hpp"

namespace orrery::mpi {

/// A buffer with a block for each of several ranks (or neighbours): of equal size side by side, or
/// with counts and displacements.  Value type; the arrays are whoever's.  No type means
/// MPI_IN_PLACE, or nothing.
struct RankBlocks {
  const Datatype* type = nullptr;  ///< of all blocks, or of the first one
  void* buffer = nullptr;
  int count = 0;                                 ///< of each block, if there are no counts
  const int* counts = nullptr;                   ///< of the `v` and `w` variants
  const int* displacements = nullptr;            ///< in elements, or in bytes if there are types
  std::int32_t number = 0;                       ///< of blocks
  const Datatype* const* types = nullptr;        ///< of the `w` variants
  const MPI_Aint* byte_displacements = nullptr;  ///< of MPI_Neighbor_alltoallw

  [[nodiscard]] bool in_place() const { return type == nullptr; }
  /// Of MPI_Reduce_scatter: the counts of all ranks, which are no blocks of this one's buffer.
  [[nodiscard]] bool has_counts_only() const {
    return counts != nullptr && displacements == nullptr && byte_displacements == nullptr;
  }
  [[nodiscard]] const Datatype& type_of(std::int32_t block) const {
    return types == nullptr ? *type : *types[block];
  }
  [[nodiscard]] std::size_t count_of(std::int32_t block) const {
    return static_cast<std::size_t>(counts == nullptr ? count : counts[block]);
  }
  [[nodiscard]] std::size_t bytes_of(std::int32_t block) const {
    return count_of(block) * type_of(block).size_bytes;
  }
  [[nodiscard]] void* address_of(std::int32_t block) const;
  /// Of the type signature of a block, for who receives it; 0 if it fits any.
  [[nodiscard]] std::uint64_t hash_of(std::int32_t block) const;
  [[nodiscard]] std::size_t total_bytes() const;
  [[nodiscard]] std::size_t total_count() const;
  /// Are all blocks together one run of bytes, in order?
  [[nodiscard]] bool is_contiguous() const {
    return counts == nullptr && displacements == nullptr && type->is_contiguous();
  }

  void pack_block(std::int32_t block, std::byte* packed) const {
    pack(type_of(block), count_of(block), address_of(block), packed);
  }
  void unpack_block(std::int32_t block, const std::byte* packed) const {
    unpack(type_of(block), count_of(block), address_of(block), packed, bytes_of(block));
  }
};

/// Of the sizes of all blocks, where all ranks must give the same ones; never 0.
std::uint64_t hash_of_sizes(const RankBlocks& blocks);

/// What a rank contributes or wants: one run of elements; no type means MPI_IN_PLACE.
struct OwnBlock {
  const Datatype* type = nullptr;
  void* buffer = nullptr;
  std::size_t count = 0;
  [[nodiscard]] bool in_place() const { return type == nullptr; }
  [[nodiscard]] std::size_t size_bytes() const { return count * type->size_bytes; }
  [[nodiscard]] std::uint64_t hash() const;
};

/// A block of `blocks` as one of its own, or none.
OwnBlock own_block(const RankBlocks& blocks, std::int32_t block = 0);

/// The same blocks with arrays of their own, for a call that comes back before its work is done.
class KeptBlocks {
 public:
  explicit KeptBlocks(const RankBlocks& blocks);
  [[nodiscard]] RankBlocks blocks() const;

 private:
  RankBlocks blocks_;
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<MPI_Aint> byte_displacements_;
  std::vector<const Datatype*> types_;
};

/// Which names the arguments of a buffer have in the standard.
struct BlockNames {
  const char* buffer = "";
  const char* counts = "";
  const char* displacements = "";
  const char* types = "";
};
inline constexpr BlockNames sent_blocks{"sendbuf", "sendcounts", "sdispls", "sendtypes"};
inline constexpr BlockNames received_blocks{"recvbuf", "recvcounts", "rdispls", "recvtypes"};
inline constexpr BlockNames scattered_blocks{"sendbuf", "sendcounts", "displs", ""};
inline constexpr BlockNames gathered_blocks{"recvbuf", "recvcounts", "displs", ""};

/// Checks the buffer of `number` blocks of equal size.
int check_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                 const BlockNames& names, std::int32_t number, RankBlocks& blocks);
/// The same with counts and displacements.
int check_varied_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                        const BlockNames& names, std::int32_t number, RankBlocks& blocks);
/// The same with a type for each block; `types` has room for them.
int check_typed_blocks(const Call& call, const Communicator& communicator,
                       const MPI_Datatype* handles, const BlockNames& names, std::int32_t number,
                       const Datatype** types, RankBlocks& blocks);
/// Checks a rank's own block, as blocks of one.
int check_own(const Call& call, const Communicator& communicator, const void* buffer, int count,
              MPI_Datatype type, const char* buffer_argument, RankBlocks& block);
/// Nothing may be received where something else is received or is sent from (sections 2.3, 5.5).
/// Either may be null or in place.
int check_apart(const Call& call, const Communicator& communicator, const RankBlocks* sent,
                const RankBlocks* received);
/// What a rank sends to itself must be what it has room for (section 5.1).
int check_same_data(const Call& call, const Communicator& communicator, const OwnBlock& sent,
                    const OwnBlock& received);

}  // namespace orrery::mpi
