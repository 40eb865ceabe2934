#include "misuse.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "../include/mpi.h"

namespace orrery::mpi {
namespace {

// In the order of the enumeration.
constexpr std::array titles = {
    "mpi_usage/invalid argument",
    "mpi_usage/invalid rank",
    "mpi_usage/invalid tag",
    "mpi_usage/invalid count",
    "mpi_usage/invalid type",
    "mpi_usage/invalid communicator",
    "mpi_usage/invalid root",
    "mpi_usage/invalid operation",
    "mpi_usage/invalid request",
    "mpi_usage/invalid group",
    "mpi_usage/invalid window",
    "mpi_usage/invalid file",
    "mpi_usage/invalid buffer",
    "mpi_usage/invalid info",
    "mpi_usage/invalid key",
    "mpi_usage/invalid topology",
    "mpi_usage/truncation",
    "mpi_usage/type mismatch",
    "mpi_usage/collective mismatch",
    "mpi_usage/buffer in use",
    "mpi_usage/overlapping buffers",
    "mpi_usage/conflicting accesses",
    "mpi_usage/leak",
    "mpi_usage/double free",
    "mpi_usage/use after free",
    "mpi_usage/missing wait",
    "mpi_usage/active request",
    "mpi_usage/outside init and finalize",
    "mpi_usage/thread level",
    "mpi_usage/epoch",
    "mpi_usage/ready send",
    "mpi_usage/attached buffer",
    "mpi_usage/dynamic processes",
    "mpi_usage/file access",
    "mpi_usage/error",
};
static_assert(titles.size() == static_cast<std::size_t>(Misuse::error) + 1);

}  // namespace

const char* finding_title(Misuse misuse) {
  return titles.at(static_cast<std::size_t>(misuse));
}

const char* class_name(Misuse misuse) {
  return std::strchr(finding_title(misuse), '/') + 1;
}

Misuse misuse_of(int error_code) {
  switch (error_code) {
    case MPI_ERR_ARG: return Misuse::invalid_argument;
    case MPI_ERR_RANK: return Misuse::invalid_rank;
    case MPI_ERR_TAG: return Misuse::invalid_tag;
    case MPI_ERR_COUNT: return Misuse::invalid_count;
    case MPI_ERR_TYPE: return Misuse::invalid_type;
    case MPI_ERR_COMM: return Misuse::invalid_communicator;
    case MPI_ERR_ROOT: return Misuse::invalid_root;
    case MPI_ERR_OP: return Misuse::invalid_operation;
    case MPI_ERR_REQUEST: return Misuse::invalid_request;
    case MPI_ERR_GROUP: return Misuse::invalid_group;
    case MPI_ERR_BUFFER: return Misuse::invalid_buffer;
    case MPI_ERR_TRUNCATE: return Misuse::truncation;
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_DIMS: return Misuse::invalid_topology;
    case MPI_ERR_KEYVAL: return Misuse::invalid_key;
    case MPI_ERR_INFO:
    case MPI_ERR_INFO_KEY:
    case MPI_ERR_INFO_VALUE:
    case MPI_ERR_INFO_NOKEY: return Misuse::invalid_info;
    case MPI_ERR_WIN:
    case MPI_ERR_BASE:
    case MPI_ERR_SIZE:
    case MPI_ERR_DISP:
    case MPI_ERR_RMA_RANGE:
    case MPI_ERR_RMA_SHARED:
    case MPI_ERR_RMA_FLAVOR:
    case MPI_ERR_RMA_ATTACH: return Misuse::invalid_window;
    case MPI_ERR_LOCKTYPE:
    case MPI_ERR_ASSERT: return Misuse::invalid_argument;
    case MPI_ERR_RMA_SYNC: return Misuse::epoch;
    case MPI_ERR_RMA_CONFLICT: return Misuse::conflicting_accesses;
    case MPI_ERR_FILE:
    case MPI_ERR_BAD_FILE: return Misuse::invalid_file;
    case MPI_ERR_ACCESS:
    case MPI_ERR_AMODE:
    case MPI_ERR_READ_ONLY:
    case MPI_ERR_FILE_EXISTS:
    case MPI_ERR_FILE_IN_USE:
    case MPI_ERR_NO_SUCH_FILE:
    case MPI_ERR_UNSUPPORTED_DATAREP:
    case MPI_ERR_UNSUPPORTED_OPERATION: return Misuse::file_access;
    case MPI_ERR_SPAWN:
    case MPI_ERR_PORT:
    case MPI_ERR_SERVICE: return Misuse::dynamic_processes;
    case MPI_ERR_NOT_SAME: return Misuse::collective_mismatch;
    default: return Misuse::error;
  }
}

}  // namespace orrery::mpi
