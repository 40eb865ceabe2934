#include "errors.hpp"

#include "../include/mpi.h"

namespace orrery::mpi {

namespace {

const char* predefined_text(int code) {
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
    case MPI_ERR_ACCESS: return "MPI_ERR_ACCESS: a file that may not be accessed so";
    case MPI_ERR_AMODE: return "MPI_ERR_AMODE: a mode that a file cannot be opened in";
    case MPI_ERR_ASSERT: return "MPI_ERR_ASSERT: an assertion that this call does not know";
    case MPI_ERR_BAD_FILE: return "MPI_ERR_BAD_FILE: a file name that cannot be used";
    case MPI_ERR_BASE: return "MPI_ERR_BASE: an address that was not given out";
    case MPI_ERR_CONVERSION: return "MPI_ERR_CONVERSION: a conversion of data that has failed";
    case MPI_ERR_DISP: return "MPI_ERR_DISP: a displacement out of range";
    case MPI_ERR_DUP_DATAREP:
      return "MPI_ERR_DUP_DATAREP: a data representation that is there already";
    case MPI_ERR_FILE_EXISTS: return "MPI_ERR_FILE_EXISTS: a file that exists already";
    case MPI_ERR_FILE_IN_USE: return "MPI_ERR_FILE_IN_USE: a file that is open somewhere";
    case MPI_ERR_FILE: return "MPI_ERR_FILE: no file handle";
    case MPI_ERR_INFO_KEY: return "MPI_ERR_INFO_KEY: a key of hints that is empty or too long";
    case MPI_ERR_INFO_NOKEY: return "MPI_ERR_INFO_NOKEY: a key that the hints do not have";
    case MPI_ERR_INFO_VALUE:
      return "MPI_ERR_INFO_VALUE: a value of hints that is empty or too long";
    case MPI_ERR_INFO: return "MPI_ERR_INFO: no info object";
    case MPI_ERR_IO: return "MPI_ERR_IO: a file that cannot be read or written";
    case MPI_ERR_LOCKTYPE: return "MPI_ERR_LOCKTYPE: no type of lock";
    case MPI_ERR_NOT_SAME: return "MPI_ERR_NOT_SAME: arguments that differ among the ranks";
    case MPI_ERR_NO_SPACE: return "MPI_ERR_NO_SPACE: no room left for files";
    case MPI_ERR_NO_SUCH_FILE: return "MPI_ERR_NO_SUCH_FILE: a file that does not exist";
    case MPI_ERR_PORT: return "MPI_ERR_PORT: no port";
    case MPI_ERR_QUOTA: return "MPI_ERR_QUOTA: more room for files than is allowed";
    case MPI_ERR_READ_ONLY: return "MPI_ERR_READ_ONLY: a file that can only be read";
    case MPI_ERR_RMA_CONFLICT: return "MPI_ERR_RMA_CONFLICT: accesses to a window that conflict";
    case MPI_ERR_RMA_SYNC: return "MPI_ERR_RMA_SYNC: an access to a window outside its epoch";
    case MPI_ERR_SERVICE: return "MPI_ERR_SERVICE: a service that is not published";
    case MPI_ERR_SIZE: return "MPI_ERR_SIZE: a size that is negative or too large";
    case MPI_ERR_SPAWN: return "MPI_ERR_SPAWN: processes that cannot be started";
    case MPI_ERR_UNSUPPORTED_DATAREP:
      return "MPI_ERR_UNSUPPORTED_DATAREP: a data representation that is not known";
    case MPI_ERR_UNSUPPORTED_OPERATION:
      return "MPI_ERR_UNSUPPORTED_OPERATION: an operation that files do not have";
    case MPI_ERR_WIN: return "MPI_ERR_WIN: no window";
    case MPI_ERR_RMA_RANGE: return "MPI_ERR_RMA_RANGE: memory outside the window";
    case MPI_ERR_RMA_ATTACH: return "MPI_ERR_RMA_ATTACH: memory that cannot be attached";
    case MPI_ERR_RMA_FLAVOR: return "MPI_ERR_RMA_FLAVOR: a window of the wrong kind";
    case MPI_ERR_RMA_SHARED: return "MPI_ERR_RMA_SHARED: memory that cannot be shared";
    default: return nullptr;
  }
}

// Those of the program follow the predefined ones.
constexpr int first_own_code = MPI_ERR_LASTCODE + 1;

}  // namespace

int ErrorCodes::add_class() {
  const int code = last() + 1;
  codes_.push_back({code, ""});
  return code;
}

int ErrorCodes::add_code(int error_class) {
  codes_.push_back({error_class, ""});
  return last();
}

ErrorCodes::Code* ErrorCodes::find(int code) {
  const int index = code - first_own_code;
  if (index < 0 || index >= static_cast<int>(codes_.size())) return nullptr;
  return &codes_[static_cast<std::size_t>(index)];
}

int ErrorCodes::last() const {
  return first_own_code + static_cast<int>(codes_.size()) - 1;
}

const char* ErrorCodes::text(int code) {
  if (const char* const known = predefined_text(code)) return known;
  const Code* const own = find(code);
  return own == nullptr ? nullptr : own->text.c_str();
}

std::optional<int> ErrorCodes::class_of(int code) {
  if (predefined_text(code) != nullptr) return code;
  const Code* const own = find(code);
  if (own == nullptr) return std::nullopt;
  return own->error_class;
}

}  // namespace orrery::mpi
