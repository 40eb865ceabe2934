// MPI_Reduce, MPI_Allreduce and MPI_Reduce_scatter.
#include "reducing.hpp"

#include "halving.hpp"

namespace orrery::mpi {
namespace {

// From so many bytes and ranks on, each rank reduces a part.  (Thakur, Rabenseifner and Gropp 2005
// go over at 2 KiB.)
constexpr std::size_t large_bytes = 16 * 1024;
constexpr std::int32_t large_ranks = 4;

bool is_large(const Collective& collective, const Reduction& reduction) {
  return reduction.size_bytes() >= large_bytes && collective.size() >= large_ranks &&
         reduction.count >= static_cast<std::size_t>(collective.size());
}

Scratch bounds_memory(const Collective& collective) {
  const auto parts = static_cast<std::size_t>(Halving::parts(collective.size()));
  return {collective.scratch(), (parts + 1) * sizeof(std::size_t)};
}

void reduce_parts(const Collective& collective, const Reduction& reduction, std::int32_t root,
                  PartialResult& partial) {
  const Scratch bounds = bounds_memory(collective);
  const Halving halving(collective, root, bounds.array<std::size_t>());
  halving.divide(reduction.count);
  halving.pair_up(partial);
  if (!halving.stays()) return;
  halving.reduce_scatter(partial);
  halving.gather(partial);
}

void all_reduce_parts(const Collective& collective, const Reduction& reduction,
                      PartialResult& partial) {
  const Scratch bounds = bounds_memory(collective);
  const Halving halving(collective, -1, bounds.array<std::size_t>());
  halving.divide(reduction.count);
  halving.pair_up(partial);
  if (halving.stays()) {
    halving.reduce_scatter(partial);
    halving.all_gather(partial);
    if (halving.partner() >= 0) partial.send(halving.partner(), partial.all());
  } else {
    partial.receive(halving.partner(), partial.all());
  }
}

// The blocks are put in the order of the parts that the ranks end with, so that everybody ends with
// its own.
void reduce_scatter_parts(const Collective& collective, const Reduction& reduction,
                          const BlockCounts& counts, const void* contribution, void* result) {
  const Scratch memory = bounds_memory(collective);
  auto* const bounds = memory.array<std::size_t>();
  const Halving halving(collective, -1, bounds);
  const auto ranks = static_cast<std::size_t>(collective.size());
  const Scratch starts_memory(collective.scratch(), ranks * sizeof(std::size_t));
  auto* const starts = starts_memory.array<std::size_t>();  // of the blocks in a contribution
  std::size_t elements = 0;
  for (std::int32_t rank = 0; rank < collective.size(); ++rank) {
    starts[rank] = elements;
    elements += counts.of(rank);
  }
  PartialResult partial(collective, reduction);
  std::size_t place = 0;
  for (std::int32_t part = 0; part < halving.parts(); ++part) {
    bounds[part] = place;
    const std::int32_t index = halving.reversed(part);
    for (std::int32_t which = 0; which < halving.rank_count(index); ++which) {
      const std::int32_t rank = halving.first_rank(index) + which;
      const Elements block{place, place + counts.of(rank)};
      partial.load(block,
                   element_address(reduction.type, const_cast<void*>(contribution), starts[rank]));
      place = block.end;
    }
  }
  bounds[halving.parts()] = place;
  halving.pair_up(partial);
  const std::size_t own_count = counts.of(collective.rank());
  if (!halving.stays()) {
    partial.receive(halving.partner(), {0, own_count});
    partial.store({0, own_count}, result);
    return;
  }
  halving.reduce_scatter(partial);
  const Elements part = halving.own_part();
  if (halving.partner() < 0) {
    partial.store(part, result);
    return;
  }
  // Of a pair the higher one stays: its own block is the second.
  const Elements theirs{part.first, part.end - own_count};
  partial.send(halving.partner(), theirs);
  partial.store({theirs.end, part.end}, result);
}

}  // namespace

// A binomial tree: at distance d a rank takes in the results of the d ranks behind its own, so that
// all of them are combined in rank order.
void reduce_to_first(const Collective& collective, PartialResult& partial) {
  const std::int32_t rank = collective.rank();
  std::int32_t distance = 1;
  for (; distance < collective.size() && (rank & distance) == 0; distance *= 2)
    if (rank + distance < collective.size()) partial.receive_higher(rank + distance, partial.all());
  if (rank != 0) partial.send(rank - distance, partial.all());
}

void reduce(const Collective& collective, const Reduction& reduction, std::int32_t root,
            const void* contribution, void* result) {
  PartialResult partial(collective, reduction);
  partial.load(partial.all(), contribution);
  if (is_large(collective, reduction)) {
    collective.goes_by("reduce-scatter and gather");
    reduce_parts(collective, reduction, root, partial);
  } else {
    collective.goes_by("binomial tree");
    reduce_to_first(collective, partial);
    if (root != 0 && collective.rank() == 0) partial.send(root, partial.all());
    if (root != 0 && collective.rank() == root) partial.receive(0, partial.all());
  }
  if (collective.rank() == root) partial.store(partial.all(), result);
}

void all_reduce(const Collective& collective, const Reduction& reduction, const void* contribution,
                void* result) {
  PartialResult partial(collective, reduction);
  partial.load(partial.all(), contribution);
  if (is_large(collective, reduction)) {
    collective.goes_by("reduce-scatter and all-gather");
    all_reduce_parts(collective, reduction, partial);
  } else {
    collective.goes_by("reduce and broadcast");
    reduce_to_first(collective, partial);
    partial.broadcast_from_first();
  }
  partial.store(partial.all(), result);
}

void reduce_scatter(const Collective& collective, const Reduction& reduction,
                    const BlockCounts& counts, const void* contribution, void* result) {
  if (is_large(collective, reduction)) {
    collective.goes_by("recursive halving");
    reduce_scatter_parts(collective, reduction, counts, contribution, result);
    return;
  }
  collective.goes_by("reduce and scatter");
  PartialResult partial(collective, reduction);
  partial.load(partial.all(), contribution);
  reduce_to_first(collective, partial);
  std::size_t place = counts.of(0);
  const Elements own{0, counts.of(collective.rank())};
  if (collective.rank() != 0) {
    partial.receive(0, own);
  } else {
    for (std::int32_t rank = 1; rank < collective.size(); ++rank) {
      partial.send(rank, {place, place + counts.of(rank)});
      place += counts.of(rank);
    }
  }
  partial.store(own, result);
}

}  // namespace orrery::mpi
