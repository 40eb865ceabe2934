// MPI_Alltoall and its kin.
#include <algorithm>
#include <cstring>

#include "moving_data.hpp"

namespace orrery::mpi {
namespace {

// Small blocks travel over several ranks, many in one message: n log2 n messages, not n (n - 1).
constexpr std::size_t bruck_block_bytes_max = 256;
constexpr std::int32_t bruck_ranks_min = 4;

// Bruck et al. 1997: the block for the rank `distance` further on goes 2^k ranks on in round k
// where that bit is set in `distance`.
void all_to_all_bruck(const Collective& collective, const RankBlocks& source,
                      const RankBlocks& incoming) {
  const std::int32_t ranks = collective.size();
  const std::int32_t own = collective.rank();
  const std::size_t block_bytes = source.bytes_of(0);
  const auto total = static_cast<std::size_t>(ranks) * block_bytes;
  const Scratch travelling(collective.scratch(), total);
  const Scratch outgoing(collective.scratch(), total);
  const Scratch arrived(collective.scratch(), total);
  const auto slot = [&](std::int32_t distance) {
    return travelling.data() + static_cast<std::size_t>(distance) * block_bytes;
  };
  for (std::int32_t distance = 0; distance < ranks; ++distance)
    source.pack_block((own + distance) % ranks, slot(distance));
  for (std::int32_t bit = 1; bit < ranks; bit *= 2) {
    std::size_t size_bytes = 0;
    for (std::int32_t distance = bit; distance < ranks; ++distance) {
      if ((distance & bit) == 0) continue;
      std::memcpy(outgoing.data() + size_bytes, slot(distance), block_bytes);
      size_bytes += block_bytes;
    }
    collective.exchange((own + bit) % ranks, outgoing.data(), size_bytes,
                        (own + ranks - bit) % ranks, arrived.data(), size_bytes);
    const std::byte* next = arrived.data();
    for (std::int32_t distance = bit; distance < ranks; ++distance) {
      if ((distance & bit) == 0) continue;
      std::memcpy(slot(distance), next, block_bytes);
      next += block_bytes;
    }
  }
  for (std::int32_t distance = 0; distance < ranks; ++distance)
    incoming.unpack_block((own + ranks - distance) % ranks, slot(distance));
}

// With the rank at a growing distance ahead and behind, a pair of messages a step.
void exchange_pairwise(const Collective& collective, const RankBlocks& outgoing,
                       const RankBlocks& incoming) {
  const std::int32_t ranks = collective.size();
  const std::int32_t own = collective.rank();
  ScratchPool& pool = collective.scratch();
  // In place, every block is sent from where another will arrive: all are copied first.
  const bool in_place = outgoing.in_place();
  const RankBlocks& source = in_place ? incoming : outgoing;
  std::size_t largest = 0;
  std::size_t total = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    largest = std::max({largest, source.bytes_of(rank), incoming.bytes_of(rank)});
    total += source.bytes_of(rank);
  }
  const Scratch copies(pool, in_place ? total : largest);
  const Scratch offsets_memory(pool, static_cast<std::size_t>(ranks) * sizeof(std::size_t));
  auto* const offsets = offsets_memory.array<std::size_t>();
  std::size_t used = 0;
  for (std::int32_t rank = 0; rank < ranks && in_place; ++rank) {
    offsets[rank] = used;
    source.pack_block(rank, copies.data() + used);
    used += source.bytes_of(rank);
  }
  const Scratch arrived(pool, largest);
  for (std::int32_t step = in_place ? 1 : 0; step < ranks; ++step) {
    const std::int32_t to = (own + step) % ranks;
    const std::int32_t from = (own + ranks - step) % ranks;
    std::byte* const block = in_place ? copies.data() + offsets[to] : copies.data();
    if (!in_place) source.pack_block(to, block);
    if (step == 0) {
      incoming.unpack_block(from, block);
      continue;
    }
    const OrreryRequest id = collective.start_receive(from);
    collective.send(to, block, source.bytes_of(to), source.hash_of(to));
    collective.finish_receive(id, from, arrived.data(), incoming.bytes_of(from),
                              incoming.hash_of(from));
    incoming.unpack_block(from, arrived.data());
  }
}

}  // namespace

void all_to_all(const Collective& collective, const RankBlocks& outgoing,
                const RankBlocks& incoming) {
  if (collective.size() >= bruck_ranks_min && incoming.bytes_of(0) <= bruck_block_bytes_max) {
    collective.goes_by("Bruck");
    all_to_all_bruck(collective, outgoing.in_place() ? incoming : outgoing, incoming);
  } else {
    collective.goes_by("pairwise exchange");
    exchange_pairwise(collective, outgoing, incoming);
  }
}

void all_to_all_varied(const Collective& collective, const RankBlocks& outgoing,
                       const RankBlocks& incoming) {
  collective.goes_by("pairwise exchange");
  exchange_pairwise(collective, outgoing, incoming);
}

}  // namespace orrery::mpi
