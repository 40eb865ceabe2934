// Groups: ordered sets of processes (MPI 3.1, section 6.3).
#pragma once

#include "handles.hpp"
#include "membership.hpp"

struct ompi_group_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::SharedMembership members;
};

namespace orrery::mpi {
using Group = ompi_group_t;
}
