// The buffers of collective operations, and who has them.
#pragma once

#include "collective_call.hpp"

namespace orrery::mpi {

/// The operation that `call` starts beside the program takes its buffers.
OwnedMemory::Ticket own_buffers(const Call& call, const CollectiveData& data);

}  // namespace orrery::mpi
