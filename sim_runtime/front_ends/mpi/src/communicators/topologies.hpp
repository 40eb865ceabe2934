// Checks and steps that the functions of chapter 7 have in common.
#pragma once

#include "communicator_making.hpp"

namespace orrery::mpi {

/// A communicator with a topology of this kind.
int check_topology(const Call& call, MPI_Comm comm, TopologyKind kind, const char* section,
                   Communicator*& found);
/// An intracommunicator on which a topology is made.
int check_base(const Call& call, MPI_Comm comm, const char* section, Communicator*& found);
/// A rank of the communicator.
int check_member(const Call& call, const Communicator& communicator, int rank);
/// Room for `needed` values in an array that the program says has `room`.
int check_room(const Call& call, const Communicator& communicator, const char* argument, int room,
               int needed);
/// What all ranks must give alike: a hash of it, and how many ranks the topology has.
struct Shape {
  int node_count = 0;
  std::uint64_t digest = 0;
  void add(std::span<const int> values) {
    for (const int value : values)  // FNV-1a, a value at a time
      digest = (digest ^ static_cast<std::uint32_t>(value)) * 0x100000001b3U;
    digest = (digest ^ values.size()) * 0x100000001b3U;
  }
};

/// The first `node_count` ranks get a communicator, in their order; `made` is null at the others.
/// No topology may be better than this one: all links of most platforms are alike, and section 7.5
/// lets `reorder` have no effect.
int make_for_nodes(const Call& call, Communicator& old, const Shape& shape, Communicator*& made);

}  // namespace orrery::mpi
