#include "errors.hpp"

#include "../include/mpi.h"

namespace orrery::mpi {

const char* error_text(int code) {
  switch (code) {
    case MPI_SUCCESS: return "MPI_SUCCESS: no error";
    case MPI_ERR_BUFFER: return "MPI_ERR_BUFFER: a buffer that cannot be used";
    case MPI_ERR_COUNT: return "MPI_ERR_COUNT: a count that is negative";
    case MPI_ERR_TYPE: return "MPI_ERR_TYPE: no datatype, or one that may not be used here";
    case MPI_ERR_TAG: return "MPI_ERR_TAG: a tag out of range";
    case MPI_ERR_COMM: return "MPI_ERR_COMM: no communicator";
    case MPI_ERR_RANK: return "MPI_ERR_RANK: a rank that the communicator does not have";
    case MPI_ERR_REQUEST: return "MPI_ERR_REQUEST: no request that is under way";
    case MPI_ERR_ROOT: return "MPI_ERR_ROOT: a root that the communicator does not have";
    case MPI_ERR_GROUP: return "MPI_ERR_GROUP: no group";
    case MPI_ERR_OP: return "MPI_ERR_OP: no operation, or one that the type does not allow";
    case MPI_ERR_TOPOLOGY: return "MPI_ERR_TOPOLOGY: no topology, or the wrong one";
    case MPI_ERR_DIMS: return "MPI_ERR_DIMS: dimensions that do not fit";
    case MPI_ERR_ARG: return "MPI_ERR_ARG: a wrong argument of another kind";
    case MPI_ERR_UNKNOWN: return "MPI_ERR_UNKNOWN: an unknown error";
    case MPI_ERR_TRUNCATE: return "MPI_ERR_TRUNCATE: a message longer than its buffer";
    case MPI_ERR_OTHER: return "MPI_ERR_OTHER: an error without a class of its own";
    case MPI_ERR_INTERN: return "MPI_ERR_INTERN: an error inside the library";
    case MPI_ERR_IN_STATUS: return "MPI_ERR_IN_STATUS: the statuses hold the error codes";
    case MPI_ERR_PENDING: return "MPI_ERR_PENDING: an operation that is not complete";
    case MPI_ERR_KEYVAL: return "MPI_ERR_KEYVAL: no attribute key";
    case MPI_ERR_NAME: return "MPI_ERR_NAME: an unknown name";
    case MPI_ERR_NO_MEM: return "MPI_ERR_NO_MEM: no memory left";
    default: return nullptr;
  }
}

}  // namespace orrery::mpi
