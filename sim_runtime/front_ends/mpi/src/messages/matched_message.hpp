// Messages that a matched probe has taken (MPI 3.1, section 3.8.2).
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

#include "communicators/communicator.hpp"

struct ompi_message_t : orrery::mpi::Handled {
  OrreryRequest id = 0;
  ompi_communicator_t* communicator = nullptr;
  std::int32_t peer = 0;  ///< who has sent it
  std::int32_t tag = 0;
  const char* call = "";  ///< that has taken it
  std::uintptr_t pc = 0;  ///< where
};

namespace orrery::mpi {
using MatchedMessage = ompi_message_t;
}
