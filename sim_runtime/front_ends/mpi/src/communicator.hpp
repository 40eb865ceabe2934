// Communicators: who may talk to whom (MPI 3.1, chapter 6).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "error_handlers.hpp"

struct ompi_communicator_t : orrery::mpi::ErrorOwner {
  std::uint32_t context = 0;  ///< of its messages; collectives use the next one
  std::int32_t rank = 0;      ///< of this process in it
  std::int32_t size = 0;
  std::vector<std::int32_t> members;                            ///< ranks of the job; empty: all
  std::vector<std::pair<std::int32_t, std::int32_t>> by_world;  ///< (rank of the job, rank), sorted
  bool freed = false;  ///< by the program; requests may still use it
  std::uint32_t references = 0;
  std::uint64_t collectives = 0;  ///< begun so far
  char name[MPI_MAX_OBJECT_NAME] = "a communicator";

  /// The rank in the job of a rank of this communicator, and back (-1: not a member).
  [[nodiscard]] std::int32_t world_rank(std::int32_t local) const;
  [[nodiscard]] std::int32_t local_rank(std::int32_t world) const;
};

namespace orrery::mpi {
using Communicator = ompi_communicator_t;
}
