#include "between_groups.hpp"

#include <algorithm>
#include <optional>

#include "moving_data.hpp"

namespace orrery::mpi {
namespace {

// Blocks of up to so many bytes come together at their group's first rank, which has one message
// to send; larger ones go to the root from where they are.
constexpr std::size_t together_bytes_max = 2048;
constexpr const char* together = "by the first ranks";
constexpr const char* directly = "directly";

bool goes_together(std::size_t block_bytes, bool varies) {
  return !varies && block_bytes <= together_bytes_max;
}

// Blocks of packed data, which fits any type, side by side.
RankBlocks packed_blocks(std::byte* data, std::size_t block_bytes, std::int32_t number) {
  RankBlocks blocks;
  blocks.type = &builtin_type(Builtin::packed);
  blocks.buffer = data;
  blocks.count = static_cast<int>(block_bytes);
  blocks.number = number;
  return blocks;
}

OwnBlock packed_block(std::byte* data, std::size_t size_bytes) {
  return {&builtin_type(Builtin::packed), data, size_bytes};
}

void send_packed(const Collective& collective, Peer destination, const OwnBlock& block) {
  const Scratch packed(collective.scratch(), block.size_bytes());
  pack(*block.type, block.count, block.buffer, packed.data());
  collective.send(destination, packed.data(), block.size_bytes(), block.hash());
}

void receive_packed(const Collective& collective, Peer source, const OwnBlock& block) {
  const Scratch packed(collective.scratch(), block.size_bytes());
  collective.receive(source, packed.data(), block.size_bytes(), block.hash());
  unpack(*block.type, block.count, block.buffer, packed.data(), block.size_bytes());
}

// The blocks of the own group, packed, at its first rank; the others get nothing.
void gather_to_first(const Collective& collective, const OwnBlock& own, std::byte* packed) {
  gather(collective, 0, own, packed_blocks(packed, own.size_bytes(), collective.size()));
}

// Many blocks that come from the other group, one from each rank.
class Arrivals {
 public:
  Arrivals(const Collective& collective, std::int32_t number)
      : collective_(collective),
        memory_(collective.scratch(), static_cast<std::size_t>(number) * sizeof(OrreryRequest)),
        number_(number) {
    for (std::int32_t rank = 0; rank < number; ++rank)
      requests()[rank] = collective.start_receive(Peer::remote(rank));
  }
  // Each into its place in `packed`, one after the other.
  void finish(const RankBlocks& blocks, std::byte* packed) const {
    for (std::int32_t rank = 0; rank < number_; ++rank) {
      collective_.finish_receive(requests()[rank], Peer::remote(rank), packed,
                                 blocks.bytes_of(rank), blocks.hash_of(rank));
      packed += blocks.bytes_of(rank);
    }
  }

 private:
  [[nodiscard]] OrreryRequest* requests() const { return memory_.array<OrreryRequest>(); }

  const Collective& collective_;
  Scratch memory_;
  std::int32_t number_;
};

void unpack_all(const RankBlocks& blocks, const std::byte* packed) {
  for (std::int32_t rank = 0; rank < blocks.number; ++rank) {
    blocks.unpack_block(rank, packed);
    packed += blocks.bytes_of(rank);
  }
}

// What the other group contributes, packed, at the first rank of each.
void exchange_reduced(const Collective& collective, const Reduction& reduction,
                      const void* contribution, std::byte* theirs) {
  const TypedScratch reduced(collective.scratch(), reduction.type, reduction.count);
  reduce(collective, reduction, 0, contribution, reduced.buffer());
  if (collective.rank() != 0) return;
  if (collective.in_first_group()) collective.goes_between_by(together);
  const Scratch packed(collective.scratch(), reduction.size_bytes());
  pack(reduction.type, reduction.count, reduced.buffer(), packed.data());
  collective.exchange(Peer::remote(0), packed.data(), reduction.size_bytes(), Peer::remote(0),
                      theirs, reduction.size_bytes());
}

}  // namespace

void broadcast_between(const Collective& collective, const RootedRole& role, const OwnBlock& data) {
  if (role.is_beside) return;
  if (role.is_root) {
    collective.goes_between_by(together);
    send_packed(collective, Peer::remote(0), data);
    return;
  }
  if (collective.rank() == 0) receive_packed(collective, Peer::remote(role.root), data);
  broadcast(collective, 0, data);
}

void gather_between(const Collective& collective, const RootedRole& role, const OwnBlock& own,
                    const RankBlocks& all, bool varies) {
  if (role.is_beside) return;
  if (role.is_root) {
    const bool is_one = goes_together(all.bytes_of(0), varies);
    collective.goes_between_by(is_one ? together : directly);
    const Scratch packed(collective.scratch(), all.total_bytes());
    if (is_one) {
      collective.receive(Peer::remote(0), packed.data(), all.total_bytes());
    } else {
      Arrivals(collective, all.number).finish(all, packed.data());
    }
    unpack_all(all, packed.data());
    return;
  }
  if (!goes_together(own.size_bytes(), varies)) {
    send_packed(collective, Peer::remote(role.root), own);
    return;
  }
  const bool is_first = collective.rank() == 0;
  const std::size_t total = own.size_bytes() * static_cast<std::size_t>(collective.size());
  const Scratch packed(collective.scratch(), is_first ? total : 0);
  gather_to_first(collective, own, packed.data());
  if (is_first) collective.send(Peer::remote(role.root), packed.data(), total);
}

void scatter_between(const Collective& collective, const RootedRole& role, const RankBlocks& all,
                     const OwnBlock& own, bool varies) {
  if (role.is_beside) return;
  if (role.is_root) {
    const bool is_one = goes_together(all.bytes_of(0), varies);
    collective.goes_between_by(is_one ? together : directly);
    const Scratch packed(collective.scratch(), all.total_bytes());
    std::byte* next = packed.data();
    for (std::int32_t rank = 0; rank < all.number; next += all.bytes_of(rank), ++rank) {
      all.pack_block(rank, next);
      if (!is_one) collective.send(Peer::remote(rank), next, all.bytes_of(rank), all.hash_of(rank));
    }
    if (is_one) collective.send(Peer::remote(0), packed.data(), all.total_bytes());
    return;
  }
  if (!goes_together(own.size_bytes(), varies)) {
    receive_packed(collective, Peer::remote(role.root), own);
    return;
  }
  const bool is_first = collective.rank() == 0;
  const std::size_t total = own.size_bytes() * static_cast<std::size_t>(collective.size());
  const Scratch packed(collective.scratch(), is_first ? total : 0);
  if (is_first) collective.receive(Peer::remote(role.root), packed.data(), total);
  scatter(collective, 0, packed_blocks(packed.data(), own.size_bytes(), collective.size()), own);
}

// To the first rank of the other group, and from there to all of it; both ways at once.
void all_gather_between(const Collective& collective, const OwnBlock& own, const RankBlocks& all,
                        bool varies) {
  const bool is_first = collective.rank() == 0;
  const bool sends_one = goes_together(own.size_bytes(), varies);
  const bool gets_one = goes_together(all.bytes_of(0), varies);
  if (is_first && collective.in_first_group())
    collective.goes_between_by(sends_one && gets_one ? together : directly);
  const std::size_t total = all.total_bytes();
  const Scratch arrived(collective.scratch(), total);
  std::optional<Arrivals> arrivals;
  if (is_first) arrivals.emplace(collective, gets_one ? 1 : all.number);
  if (sends_one) {
    const std::size_t sent_bytes = own.size_bytes() * static_cast<std::size_t>(collective.size());
    const Scratch packed(collective.scratch(), is_first ? sent_bytes : 0);
    gather_to_first(collective, own, packed.data());
    if (is_first) collective.send(Peer::remote(0), packed.data(), sent_bytes);
  } else {
    send_packed(collective, Peer::remote(0), own);
  }
  if (is_first && gets_one) {
    arrivals->finish(packed_blocks(arrived.data(), total, 1), arrived.data());
  } else if (is_first) {
    arrivals->finish(all, arrived.data());
  }
  broadcast(collective, 0, packed_block(arrived.data(), total));
  unpack_all(all, arrived.data());
}

// In step k with the rank that is k further on, in both groups counted round the larger of them.
void all_to_all_between(const Collective& collective, const RankBlocks& outgoing,
                        const RankBlocks& incoming) {
  const std::int32_t own = collective.rank();
  const std::int32_t others = collective.remote_size();
  if (own == 0 && collective.in_first_group()) collective.goes_between_by("pairwise exchange");
  const std::int32_t steps = std::max(collective.size(), others);
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t to = (own + step) % steps;
    const std::int32_t from = (own + steps - step) % steps;
    OrreryRequest id = 0;
    if (from < others) id = collective.start_receive(Peer::remote(from));
    if (to < others) send_packed(collective, Peer::remote(to), own_block(outgoing, to));
    if (from >= others) continue;
    const std::size_t size_bytes = incoming.bytes_of(from);
    const Scratch packed(collective.scratch(), size_bytes);
    collective.finish_receive(id, Peer::remote(from), packed.data(), size_bytes,
                              incoming.hash_of(from));
    incoming.unpack_block(from, packed.data());
  }
}

void reduce_between(const Collective& collective, const Reduction& reduction,
                    const RootedRole& role, const void* contribution, void* result) {
  if (role.is_beside) return;
  if (role.is_root) {
    collective.goes_between_by(together);
    receive_packed(collective, Peer::remote(0), {&reduction.type, result, reduction.count});
    return;
  }
  const TypedScratch reduced(collective.scratch(), reduction.type, reduction.count);
  reduce(collective, reduction, 0, contribution, reduced.buffer());
  if (collective.rank() == 0)
    send_packed(collective, Peer::remote(role.root),
                {&reduction.type, reduced.buffer(), reduction.count});
}

void all_reduce_between(const Collective& collective, const Reduction& reduction,
                        const void* contribution, void* result) {
  const Scratch theirs(collective.scratch(), reduction.size_bytes());
  exchange_reduced(collective, reduction, contribution, theirs.data());
  broadcast(collective, 0, packed_block(theirs.data(), reduction.size_bytes()));
  unpack(reduction.type, reduction.count, result, theirs.data(), reduction.size_bytes());
}

void reduce_scatter_between(const Collective& collective, const Reduction& reduction,
                            const BlockCounts& counts, const void* contribution, void* result) {
  const Scratch theirs(collective.scratch(), reduction.size_bytes());
  exchange_reduced(collective, reduction, contribution, theirs.data());
  const std::size_t element_bytes = reduction.type.size_bytes;
  const OwnBlock own{&reduction.type, result, counts.of(collective.rank())};
  if (collective.rank() != 0) {
    receive_packed(collective, 0, own);
    return;
  }
  unpack(reduction.type, own.count, result, theirs.data(), own.size_bytes());
  const std::byte* next = theirs.data() + own.size_bytes();
  for (std::int32_t rank = 1; rank < collective.size(); ++rank) {
    const std::size_t size_bytes = counts.of(rank) * element_bytes;
    collective.send(rank, next, size_bytes);
    next += size_bytes;
  }
}

}  // namespace orrery::mpi
