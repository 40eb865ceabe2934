// Operations of reductions (MPI 3.1, section 5.9).
#pragma once

#include "handles/handles.hpp"
#include "types/builtins.hpp"

struct ompi_op_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::BuiltinOperation builtin = orrery::mpi::BuiltinOperation::none;
  MPI_User_function* function = nullptr;
  bool commutative = true;
};

namespace orrery::mpi {
using Operation = ompi_op_t;
}
