// Communicators: who may talk to whom (MPI 3.1, chapter 6).
#pragma once

#include <cstdint>
#include <memory>

#include "attributes.hpp"
#include "calls/error_handlers.hpp"
#include "info.hpp"
#include "membership.hpp"
#include "topology.hpp"

struct ompi_communicator_t : orrery::mpi::ErrorOwner {
  std::uint32_t context = 0;  ///< the first of its block (see contexts.hpp)
  std::int32_t rank = 0;      ///< of this process in its own group
  std::int32_t size = 0;      ///< of that group
  orrery::mpi::SharedMembership group;
  orrery::mpi::SharedMembership remote;  ///< of an intercommunicator; null for all others
  bool freed = false;                    ///< by the program; requests may still use it
  bool tracked = false;                  ///< its context is to be given back
  std::uint32_t references = 1;          ///< the handle, and requests under way
  std::uint64_t collectives = 0;         ///< begun so far
  std::uint64_t subgroups = 0;           ///< made by this process as their leader (`create_group`)
  orrery::mpi::AttributeList attributes;
  orrery::mpi::InfoEntries hints;
  std::shared_ptr<const orrery::mpi::Topology> topology;  ///< null: it has none
  bool named = false;                                     ///< by the program
  char name[MPI_MAX_OBJECT_NAME] = "a communicator";

  [[nodiscard]] bool is_inter() const { return remote != nullptr; }
  /// The rank in the job of a rank of the own group, and back (-1: not a member).
  [[nodiscard]] std::int32_t world_rank(std::int32_t local) const {
    return group->world_rank(local);
  }
  [[nodiscard]] std::int32_t local_rank(std::int32_t world) const { return group->rank_of(world); }

  /// Those that messages are sent to and come from: the remote group of an intercommunicator, else
  /// the own one.  Ranks that are arguments of point-to-point calls, and in statuses, are theirs.
  [[nodiscard]] const orrery::mpi::Membership& peers() const {
    return remote != nullptr ? *remote : *group;
  }
};

namespace orrery::mpi {
using Communicator = ompi_communicator_t;
}
