#include "rank_blocks.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

// Packed data of all blocks, one after the other.
std::size_t total_bytes(const RankBlocks& blocks, std::int32_t ranks) {
  std::size_t total = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) total += blocks.bytes_of(rank);
  return total;
}

void pack_block(const RankBlocks& blocks, std::int32_t rank, std::byte* packed) {
  pack(*blocks.type, blocks.count_of(rank), blocks.address_of(rank), packed);
}

void unpack_block(const RankBlocks& blocks, std::int32_t rank, const std::byte* packed) {
  unpack(*blocks.type, blocks.count_of(rank), blocks.address_of(rank), packed,
         blocks.bytes_of(rank));
}

}  // namespace

std::size_t RankBlocks::count_of(std::int32_t rank) const {
  return static_cast<std::size_t>(counts == nullptr ? count : counts[rank]);
}

void* RankBlocks::address_of(std::int32_t rank) const {
  const std::ptrdiff_t displacement =
      displacements == nullptr ? static_cast<std::ptrdiff_t>(rank) * count : displacements[rank];
  return static_cast<std::byte*>(buffer) + displacement * type->extent_bytes();
}

int check_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                 const char* buffer_argument, RankBlocks& blocks) {
  if (blocks.counts == nullptr && blocks.displacements == nullptr)
    return call.check_data(&communicator, blocks.buffer, blocks.count, type, buffer_argument,
                           blocks.type);
  if (const int error = call.check_result(blocks.counts, "counts")) return error;
  if (const int error = call.check_result(blocks.displacements, "displs")) return error;
  for (std::int32_t rank = 0; rank < communicator.size; ++rank) {
    // The block's own address is checked: the buffer may be null if all blocks are empty.
    if (const int error = call.check_data(&communicator, blocks.buffer, blocks.counts[rank], type,
                                          buffer_argument, blocks.type))
      return error;
  }
  return MPI_SUCCESS;
}

int check_own(const Call& call, const Communicator& communicator, const void* buffer, int count,
              MPI_Datatype type, const char* buffer_argument, bool in_place_allowed,
              OwnBlock& block) {
  if (in_place_allowed && buffer == MPI_IN_PLACE) return MPI_SUCCESS;
  block.buffer = const_cast<void*>(buffer);
  block.count = static_cast<std::size_t>(count);
  return call.check_data(&communicator, buffer, count, type, buffer_argument, block.type);
}

void gather(const Collective& collective, std::int32_t root, const OwnBlock& own,
            const RankBlocks& all) {
  ScratchPool& pool = collective.scratch();
  if (collective.rank() != root) {
    const Scratch packed(pool, own.size_bytes());
    pack(*own.type, own.count, own.buffer, packed.data());
    collective.send(root, packed.data(), own.size_bytes());
    return;
  }
  for (std::int32_t rank = 0; rank < collective.size(); ++rank) {
    if (rank != root) {
      const Scratch packed(pool, all.bytes_of(rank));
      collective.receive(rank, packed.data(), all.bytes_of(rank));
      unpack_block(all, rank, packed.data());
    } else if (!own.in_place()) {
      copy_elements(pool, *own.type, own.count, own.buffer, *all.type, all.count_of(rank),
                    all.address_of(rank));
    }
  }
}

void scatter(const Collective& collective, std::int32_t root, const RankBlocks& all,
             const OwnBlock& own) {
  ScratchPool& pool = collective.scratch();
  if (collective.rank() != root) {
    const Scratch packed(pool, own.size_bytes());
    collective.receive(root, packed.data(), own.size_bytes());
    unpack(*own.type, own.count, own.buffer, packed.data(), own.size_bytes());
    return;
  }
  for (std::int32_t rank = 0; rank < collective.size(); ++rank) {
    if (rank != root) {
      const Scratch packed(pool, all.bytes_of(rank));
      pack_block(all, rank, packed.data());
      collective.send(rank, packed.data(), all.bytes_of(rank));
    } else if (!own.in_place()) {
      copy_elements(pool, *all.type, all.count_of(rank), all.address_of(rank), *own.type, own.count,
                    own.buffer);
    }
  }
}

// Everything goes to rank 0 and comes back by a broadcast: 2(n-1) messages, where direct exchanges
// would be n(n-1) and a search has to order them all.
void all_gather(const Collective& collective, const OwnBlock& own, const RankBlocks& all) {
  const std::int32_t ranks = collective.size();
  const std::size_t total = total_bytes(all, ranks);
  const std::size_t own_bytes = own.in_place() ? all.bytes_of(collective.rank()) : own.size_bytes();
  const Scratch packed(collective.scratch(), std::max(total, own_bytes));
  if (own.in_place()) {
    pack_block(all, collective.rank(), packed.data());
  } else {
    pack(*own.type, own.count, own.buffer, packed.data());
  }
  if (collective.rank() != 0) {
    collective.send(0, packed.data(), own_bytes);
  } else {
    std::byte* place = packed.data() + all.bytes_of(0);
    for (std::int32_t rank = 1; rank < ranks; ++rank) {
      collective.receive(rank, place, all.bytes_of(rank));
      place += all.bytes_of(rank);
    }
  }
  collective.broadcast(0, packed.data(), total);
  const std::byte* place = packed.data();
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (rank != collective.rank() || !own.in_place()) unpack_block(all, rank, place);
    place += all.bytes_of(rank);
  }
}

void all_to_all(const Collective& collective, const RankBlocks& outgoing,
                const RankBlocks& incoming) {
  const std::int32_t ranks = collective.size();
  // In place, every block is sent from where its successor will arrive.
  const RankBlocks& source = outgoing.type == nullptr ? incoming : outgoing;
  const std::size_t block_bytes = source.bytes_of(0);
  const Scratch packed(collective.scratch(), block_bytes * static_cast<std::size_t>(ranks));
  const Scratch arrived(collective.scratch(), incoming.bytes_of(0));
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    pack_block(source, rank, packed.data() + static_cast<std::size_t>(rank) * block_bytes);
  for (std::int32_t step = 0; step < ranks; ++step) {
    const std::int32_t to = (collective.rank() + step) % ranks;
    const std::int32_t from = (collective.rank() + ranks - step) % ranks;
    const std::byte* const block = packed.data() + static_cast<std::size_t>(to) * block_bytes;
    if (step == 0) {
      unpack_block(incoming, from, block);
      continue;
    }
    collective.exchange(to, block, block_bytes, from, arrived.data(), incoming.bytes_of(from));
    unpack_block(incoming, from, arrived.data());
  }
}

}  // namespace orrery::mpi
