// The buffers of a collective call as a program gives them.
#pragma once

#include "rank_blocks.hpp"

namespace orrery::mpi {

/// The arguments of a buffer of one block for each rank.
struct AllBlocks {
  void* buffer = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  MPI_Datatype type = nullptr;
  bool varies = false;
};

inline AllBlocks equal_blocks(const void* buffer, int count, MPI_Datatype type) {
  return {const_cast<void*>(buffer), count, nullptr, nullptr, type, false};
}

inline AllBlocks varied_blocks(const void* buffer, const int* counts, const int* displacements,
                               MPI_Datatype type) {
  return {const_cast<void*>(buffer), 0, counts, displacements, type, true};
}

/// Of a buffer with one block.
struct OneBlock {
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = nullptr;
};

inline OneBlock one_block(const void* buffer, int count, MPI_Datatype type) {
  return {const_cast<void*>(buffer), count, type};
}

/// A block for each of those that data goes to or comes from: of an intercommunicator, the other
/// group.
int check_all(const Call& call, const Communicator& communicator, const AllBlocks& given,
              const BlockNames& names, RankBlocks& found);
int check_one(const Call& call, const Communicator& communicator, const OneBlock& given,
              const char* argument, RankBlocks& found);

}  // namespace orrery::mpi
