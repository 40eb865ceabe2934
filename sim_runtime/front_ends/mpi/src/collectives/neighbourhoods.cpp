#include "neighbourhoods.hpp"

namespace orrery::mpi {
namespace {

// In a dimension with a period of one or two ranks the same rank is the neighbour on both sides.
// What goes up must come from below there, as it does among more ranks (MPI 4.0, section 8.6, says
// so; 3.1 leaves it to the reader), and receives are matched in their order, which is down before
// up: so what goes up is sent first.
std::int32_t sent_next(const Topology& topology, std::int32_t step) {
  return topology.kind == TopologyKind::cartesian ? step ^ 1 : step;
}

}  // namespace

void exchange_with_neighbours(const Collective& collective, const Topology& topology,
                              const RankBlocks& outgoing, const RankBlocks& incoming) {
  ScratchPool& pool = collective.scratch();
  collective.goes_by("directly");
  const auto sources = static_cast<std::int32_t>(topology.sources.size());
  const auto destinations = static_cast<std::int32_t>(topology.destinations.size());
  const auto source_of = [&](std::int32_t place) {
    return topology.sources[static_cast<std::size_t>(place)];
  };
  const Scratch memory(pool, topology.sources.size() * sizeof(OrreryRequest));
  auto* const requests = memory.array<OrreryRequest>();
  for (std::int32_t place = 0; place < sources; ++place)
    requests[place] =
        source_of(place) == MPI_PROC_NULL ? 0 : collective.start_receive(source_of(place));
  const bool is_one_for_all = outgoing.number == 1 && destinations != 1;
  for (std::int32_t step = 0; step < destinations; ++step) {
    const std::int32_t place = sent_next(topology, step);
    const std::int32_t to = topology.destinations[static_cast<std::size_t>(place)];
    if (to == MPI_PROC_NULL) continue;
    const std::int32_t block = is_one_for_all ? 0 : place;
    const Scratch packed(pool, outgoing.bytes_of(block));
    outgoing.pack_block(block, packed.data());
    collective.send(to, packed.data(), outgoing.bytes_of(block), outgoing.hash_of(block));
  }
  for (std::int32_t place = 0; place < sources; ++place) {
    if (requests[place] == 0) continue;
    const std::size_t size_bytes = incoming.bytes_of(place);
    const Scratch packed(pool, size_bytes);
    collective.finish_receive(requests[place], source_of(place), packed.data(), size_bytes,
                              incoming.hash_of(place));
    incoming.unpack_block(place, packed.data());
  }
}

}  // namespace orrery::mpi
