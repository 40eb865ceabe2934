// Texts of the error codes.
#pragma once

namespace orrery::mpi {

/// A sentence for an error code of mpi.h; null for any other number.
const char* error_text(int code);

}  // namespace orrery::mpi
