// MPI_Gather, MPI_Scatter, MPI_Allgather and their kin.
#include <algorithm>
#include <cstring>

#include "moving_data.hpp"

namespace orrery::mpi {
namespace {

// Small blocks go along a tree where there are many ranks: the root then has log n messages to take
// or to send, not n - 1.  The tree's inner ranks pass on the blocks of all below.
constexpr std::size_t tree_block_bytes_max = 2048;
constexpr std::int32_t direct_ranks_max = 8;

// All gather: up to so many bytes in all through rank 0, then by Bruck's algorithm, then in a ring.
constexpr std::size_t through_root_bytes_max = 4096;
constexpr std::size_t bruck_bytes_max = 512 * 1024;

bool goes_by_tree(const Collective& collective, std::size_t block_bytes) {
  return collective.size() > direct_ranks_max && block_bytes <= tree_block_bytes_max;
}

// A binomial tree over the ranks, counted from the root on: at `relative`, blocks of the ranks up
// to `relative` + `width` come together.
struct TreePlace {
  TreePlace(const Collective& collective, std::int32_t root_rank)
      : root(root_rank),
        size(collective.size()),
        relative((collective.rank() - root_rank + size) % size) {
    while (width < size && (relative & width) == 0) width *= 2;
  }
  [[nodiscard]] std::int32_t rank_of(std::int32_t other) const { return (other + root) % size; }
  [[nodiscard]] std::int32_t blocks_from(std::int32_t first, std::int32_t distance) const {
    return std::min(distance, size - first);
  }
  std::int32_t root;
  std::int32_t size;
  std::int32_t relative;
  std::int32_t width = 1;
};

void gather_by_tree(const Collective& collective, std::int32_t root, const OwnBlock& own,
                    const RankBlocks& all) {
  const TreePlace place(collective, root);
  const std::size_t block_bytes = own.in_place() ? all.bytes_of(root) : own.size_bytes();
  const auto held = static_cast<std::size_t>(place.blocks_from(place.relative, place.width));
  const Scratch packed(collective.scratch(), held * block_bytes);
  if (!own.in_place()) pack(*own.type, own.count, own.buffer, packed.data());
  for (std::int32_t distance = 1; distance < place.width; distance *= 2) {
    const std::int32_t child = place.relative + distance;
    if (child >= place.size) break;
    const auto blocks = static_cast<std::size_t>(place.blocks_from(child, distance));
    collective.receive(place.rank_of(child),
                       packed.data() + static_cast<std::size_t>(distance) * block_bytes,
                       blocks * block_bytes);
  }
  if (place.relative != 0) {
    collective.send(place.rank_of(place.relative - place.width), packed.data(), held * block_bytes);
    return;
  }
  for (std::int32_t other = own.in_place() ? 1 : 0; other < place.size; ++other)
    all.unpack_block(place.rank_of(other),
                     packed.data() + static_cast<std::size_t>(other) * block_bytes);
}

void scatter_by_tree(const Collective& collective, std::int32_t root, const RankBlocks& all,
                     const OwnBlock& own) {
  const TreePlace place(collective, root);
  const std::size_t block_bytes = own.in_place() ? all.bytes_of(root) : own.size_bytes();
  const auto held = static_cast<std::size_t>(place.blocks_from(place.relative, place.width));
  const Scratch packed(collective.scratch(), held * block_bytes);
  if (place.relative == 0) {
    for (std::int32_t other = own.in_place() ? 1 : 0; other < place.size; ++other)
      all.pack_block(place.rank_of(other),
                     packed.data() + static_cast<std::size_t>(other) * block_bytes);
  } else {
    collective.receive(place.rank_of(place.relative - place.width), packed.data(),
                       held * block_bytes);
  }
  for (std::int32_t distance = place.width / 2; distance > 0; distance /= 2) {
    const std::int32_t child = place.relative + distance;
    if (child >= place.size) continue;
    const auto blocks = static_cast<std::size_t>(place.blocks_from(child, distance));
    collective.send(place.rank_of(child),
                    packed.data() + static_cast<std::size_t>(distance) * block_bytes,
                    blocks * block_bytes);
  }
  if (!own.in_place()) unpack(*own.type, own.count, own.buffer, packed.data(), block_bytes);
}

void gather_directly(const Collective& collective, std::int32_t root, const OwnBlock& own,
                     const RankBlocks& all) {
  ScratchPool& pool = collective.scratch();
  if (collective.rank() != root) {
    const Scratch packed(pool, own.size_bytes());
    pack(*own.type, own.count, own.buffer, packed.data());
    collective.send(root, packed.data(), own.size_bytes(), own.hash());
    return;
  }
  for (std::int32_t rank = 0; rank < collective.size(); ++rank) {
    if (rank != root) {
      const Scratch packed(pool, all.bytes_of(rank));
      collective.receive(rank, packed.data(), all.bytes_of(rank), all.hash_of(rank));
      all.unpack_block(rank, packed.data());
    } else if (!own.in_place()) {
      copy_elements(pool, *own.type, own.count, own.buffer, all.type_of(rank), all.count_of(rank),
                    all.address_of(rank));
    }
  }
}

void scatter_directly(const Collective& collective, std::int32_t root, const RankBlocks& all,
                      const OwnBlock& own) {
  ScratchPool& pool = collective.scratch();
  if (collective.rank() != root) {
    const Scratch packed(pool, own.size_bytes());
    collective.receive(root, packed.data(), own.size_bytes(), own.hash());
    unpack(*own.type, own.count, own.buffer, packed.data(), own.size_bytes());
    return;
  }
  for (std::int32_t rank = 0; rank < collective.size(); ++rank) {
    if (rank != root) {
      const Scratch packed(pool, all.bytes_of(rank));
      all.pack_block(rank, packed.data());
      collective.send(rank, packed.data(), all.bytes_of(rank), all.hash_of(rank));
    } else if (!own.in_place()) {
      copy_elements(pool, all.type_of(rank), all.count_of(rank), all.address_of(rank), *own.type,
                    own.count, own.buffer);
    }
  }
}

// Everything goes to rank 0 and comes back by a broadcast: 2 (n - 1) messages, the fewest, where
// direct exchanges would be n (n - 1) and a search has to order them all.
void all_gather_through_root(const Collective& collective, std::byte* data,
                             const std::size_t* offsets) {
  const std::int32_t ranks = collective.size();
  const auto bytes_of = [&](std::int32_t rank) { return offsets[rank + 1] - offsets[rank]; };
  if (collective.rank() != 0) {
    collective.send(0, data + offsets[collective.rank()], bytes_of(collective.rank()));
  } else {
    for (std::int32_t rank = 1; rank < ranks; ++rank)
      collective.receive(rank, data + offsets[rank], bytes_of(rank));
  }
  collective.broadcast(0, data, offsets[ranks]);
}

// J. Bruck et al., Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
// Systems, 1997: in round k the first 2^k blocks that a rank has, counted from its own on, go to
// the rank 2^k before it.  n log2 n messages, for any n.
void all_gather_bruck(const Collective& collective, std::byte* data, const std::size_t* offsets) {
  const std::int32_t ranks = collective.size();
  const std::int32_t own = collective.rank();
  const std::size_t total = offsets[ranks];
  const Scratch rotated(collective.scratch(), total);
  // The blocks from the own one on, as far as they have come: where the block `step` begins.
  const auto start = [&](std::int32_t step) {
    const std::int32_t rank = own + step;
    return rank < ranks
               ? offsets[rank] - offsets[own]
               : total - offsets[own] + (step == ranks ? offsets[own] : offsets[rank - ranks]);
  };
  std::memcpy(rotated.data(), data + offsets[own], start(1));
  for (std::int32_t held = 1; held < ranks; held *= 2) {
    const std::int32_t sent = std::min(held, ranks - held);
    collective.exchange((own + ranks - held) % ranks, rotated.data(), start(sent),
                        (own + held) % ranks, rotated.data() + start(held),
                        start(held + sent) - start(held));
  }
  std::memcpy(data + offsets[own], rotated.data(), total - offsets[own]);
  if (own > 0) std::memcpy(data, rotated.data() + (total - offsets[own]), offsets[own]);
}

}  // namespace

void all_gather_ring(const Collective& collective, std::byte* data, const std::size_t* offsets) {
  const std::int32_t ranks = collective.size();
  const std::int32_t own = collective.rank();
  for (std::int32_t step = 0; step + 1 < ranks; ++step) {
    const std::int32_t outgoing = (own + ranks - step) % ranks;
    const std::int32_t incoming = (own + 2 * ranks - step - 1) % ranks;
    collective.exchange((own + 1) % ranks, data + offsets[outgoing],
                        offsets[outgoing + 1] - offsets[outgoing], (own + ranks - 1) % ranks,
                        data + offsets[incoming], offsets[incoming + 1] - offsets[incoming]);
  }
}

void gather(const Collective& collective, std::int32_t root, const OwnBlock& own,
            const RankBlocks& all, bool varies) {
  const std::size_t block_bytes = own.in_place() ? all.bytes_of(root) : own.size_bytes();
  if (!varies && goes_by_tree(collective, block_bytes)) {
    collective.goes_by("binomial tree");
    gather_by_tree(collective, root, own, all);
  } else {
    collective.goes_by("directly");
    gather_directly(collective, root, own, all);
  }
}

void scatter(const Collective& collective, std::int32_t root, const RankBlocks& all,
             const OwnBlock& own, bool varies) {
  const std::size_t block_bytes = own.in_place() ? all.bytes_of(root) : own.size_bytes();
  if (!varies && goes_by_tree(collective, block_bytes)) {
    collective.goes_by("binomial tree");
    scatter_by_tree(collective, root, all, own);
  } else {
    collective.goes_by("directly");
    scatter_directly(collective, root, all, own);
  }
}

void all_gather(const Collective& collective, const OwnBlock& own, const RankBlocks& all) {
  const std::int32_t ranks = collective.size();
  const std::int32_t self = collective.rank();
  const Scratch memory(collective.scratch(),
                       (static_cast<std::size_t>(ranks) + 1) * sizeof(std::size_t));
  auto* const offsets = memory.array<std::size_t>();
  offsets[0] = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    offsets[rank + 1] = offsets[rank] + all.bytes_of(rank);
  const std::size_t total = offsets[ranks];
  const bool is_direct = all.types == nullptr && all.is_contiguous();
  const Scratch packed(collective.scratch(), is_direct ? 0 : total);
  auto* const data = is_direct ? static_cast<std::byte*>(all.buffer) : packed.data();
  if (!own.in_place()) {
    pack(*own.type, own.count, own.buffer, data + offsets[self]);
  } else if (!is_direct) {
    all.pack_block(self, data + offsets[self]);
  }
  if (total <= through_root_bytes_max) {
    collective.goes_by("gather and broadcast");
    all_gather_through_root(collective, data, offsets);
  } else if (total <= bruck_bytes_max) {
    collective.goes_by("Bruck");
    all_gather_bruck(collective, data, offsets);
  } else {
    collective.goes_by("ring");
    all_gather_ring(collective, data, offsets);
  }
  if (is_direct) return;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (rank != self || !own.in_place()) all.unpack_block(rank, data + offsets[rank]);
}

}  // namespace orrery::mpi
