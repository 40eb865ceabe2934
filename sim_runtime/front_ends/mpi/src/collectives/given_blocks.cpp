#include "given_blocks.hpp"

#include "collective_call.hpp"

namespace orrery::mpi {

int check_all(const Call& call, const Communicator& communicator, const AllBlocks& given,
              const BlockNames& names, RankBlocks& found) {
  found.buffer = given.buffer;
  found.count = given.count;
  found.counts = given.counts;
  found.displacements = given.displacements;
  if (communicator.is_inter())
    if (const int error = check_not_in_place(call, communicator, given.buffer, names.buffer))
      return error;
  const auto check = given.varies ? check_varied_blocks : check_blocks;
  return check(call, communicator, given.type, names, communicator.peers().size(), found);
}

int check_one(const Call& call, const Communicator& communicator, const OneBlock& given,
              const char* argument, RankBlocks& found) {
  if (communicator.is_inter())
    if (const int error = check_not_in_place(call, communicator, given.buffer, argument))
      return error;
  return check_own(call, communicator, given.buffer, given.count, given.type, argument, found);
}

}  // namespace orrery::mpi
