// MPI 3.1, section 7.5.2: a grid that is as square as possible.
#include <algorithm>

#include "call.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// Looks for `count` factors of `nodes`, none above `limit`, in descending order.  The largest comes
// first and is tried from the smallest that is possible: so the first answer has the smallest
// largest factor, then the smallest second one, and so on: they are as close together as they can
// be.
bool factorise(int nodes, int count, int limit, int* factors) {
  if (count == 1) {
    factors[0] = nodes;
    return nodes <= limit;
  }
  const auto reaches = [&](int factor) {
    std::int64_t product = 1;
    for (int index = 0; index < count && product < nodes; ++index) product *= factor;
    return product >= nodes;
  };
  for (int factor = 1; factor <= std::min(nodes, limit); ++factor) {
    if (nodes % factor != 0 || !reaches(factor)) continue;
    factors[0] = factor;
    if (factorise(nodes / factor, count - 1, factor, factors + 1)) return true;
  }
  return false;
}

}  // namespace

ORRERY_MPI_API int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  const Call call = ORRERY_CALL("MPI_Dims_create");
  if (nnodes <= 0)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument nnodes is %d, and must be at least 1 (MPI 3.1, section 7.5.2)",
                     nnodes);
  if (ndims < 0)
    return call.fail(nullptr, MPI_ERR_DIMS,
                     "argument ndims is %d, and must not be negative (MPI 3.1, section 7.5.2)",
                     ndims);
  if (ndims == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(dims, "dims")) return error;
  int open = 0;
  int rest = nnodes;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    if (dims[dimension] < 0)
      return call.fail(nullptr, MPI_ERR_DIMS,
                       "argument dims[%d] is %d, and must be 0 or a number of nodes (MPI 3.1, "
                       "section 7.5.2)",
                       dimension, dims[dimension]);
    if (dims[dimension] == 0) {
      ++open;
    } else if (rest % dims[dimension] == 0) {
      rest /= dims[dimension];
    } else {
      rest = 0;
    }
    if (rest == 0) break;
  }
  if (rest == 0 || (open == 0 && rest != 1))
    return call.fail(nullptr, MPI_ERR_DIMS,
                     "argument nnodes is %d, and cannot be divided among dimensions as those that "
                     "argument dims gives (MPI 3.1, section 7.5.2)",
                     nnodes);
  if (open == 0) return MPI_SUCCESS;
  const Scratch memory(call.state.scratch, static_cast<std::size_t>(open) * sizeof(int));
  int* factors = memory.array<int>();
  factorise(rest, open, rest, factors);
  for (int dimension = 0; dimension < ndims; ++dimension)
    if (dims[dimension] == 0) dims[dimension] = *factors++;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Dims_create);
