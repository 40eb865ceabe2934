// MPI 3.1, sections 4.1.3 and 4.1.4: types for parts of arrays.
#include <algorithm>
#include <vector>

#include "types/derived_types.hpp"

using namespace orrery::mpi;

namespace {

int fail_value(const Call& call, const char* argument, int index, int value, const char* wanted,
               const char* section) {
  return call.fail(nullptr, MPI_ERR_ARG,
                   "argument %s[%d] is %d, and must be %s (MPI 3.1, section %s)", argument, index,
                   value, wanted, section);
}

int check_common(const Call& call, int ndims, int order, MPI_Datatype oldtype,
                 MPI_Datatype* newtype, const char* section, const Datatype*& old) {
  if (ndims < 1)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument ndims is %d, and must be positive (MPI 3.1, section %s)", ndims,
                     section);
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument order is %d, and must be MPI_ORDER_C or MPI_ORDER_FORTRAN (MPI 3.1, "
                     "section %s)",
                     order, section);
  if (const int error = call.check_type(nullptr, oldtype, "oldtype", old)) return error;
  return call.check_result(newtype, "newtype");
}

int check_arrays(const Call& call, std::initializer_list<std::pair<const int*, const char*>> arrays,
                 const char* section) {
  for (const auto& [array, argument] : arrays) {
    if (array == nullptr)
      return call.fail(nullptr, MPI_ERR_ARG,
                       "argument %s is a null pointer, and values are read there (MPI 3.1, section "
                       "%s)",
                       argument, section);
  }
  return MPI_SUCCESS;
}

int check_subarray(const Call& call, int ndims, const int* sizes, const int* subsizes,
                   const int* starts) {
  const char* const section = "4.1.3";
  if (const int error = check_arrays(
          call,
          {{sizes, "array_of_sizes"}, {subsizes, "array_of_subsizes"}, {starts, "array_of_starts"}},
          section))
    return error;
  for (int index = 0; index < ndims; ++index) {
    if (sizes[index] < 1)
      return fail_value(call, "array_of_sizes", index, sizes[index], "positive", section);
    if (subsizes[index] < 1 || subsizes[index] > sizes[index])
      return fail_value(call, "array_of_subsizes", index, subsizes[index],
                        "from 1 to the size of the dimension", section);
    if (starts[index] < 0 || starts[index] > sizes[index] - subsizes[index])
      return fail_value(call, "array_of_starts", index, starts[index],
                        "such that the part lies in the array", section);
  }
  return MPI_SUCCESS;
}

// One dimension of an array that is dealt out, or an error.
int check_distribution(const Call& call, int index, int distribution, int argument, int processes,
                       DealtDimension& dimension) {
  const char* const section = "4.1.4";
  const auto size = static_cast<long long>(dimension.size);
  dimension.distribution = distribution;
  if (distribution == MPI_DISTRIBUTE_NONE) {
    if (processes == 1) return MPI_SUCCESS;
    return fail_value(call, "array_of_psizes", index, processes,
                      "1 where the distribution is MPI_DISTRIBUTE_NONE", section);
  }
  if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC)
    return fail_value(call, "array_of_distribs", index, distribution, "an MPI_DISTRIBUTE_...",
                      section);
  const bool is_block = distribution == MPI_DISTRIBUTE_BLOCK;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) {
    dimension.block_size =
        static_cast<std::size_t>(is_block ? (size + processes - 1) / processes : 1);
    return MPI_SUCCESS;
  }
  if (argument < 1)
    return fail_value(call, "array_of_dargs", index, argument,
                      "positive or MPI_DISTRIBUTE_DFLT_DARG", section);
  if (is_block && static_cast<long long>(argument) * processes < size)
    return fail_value(call, "array_of_dargs", index, argument,
                      "so large that the blocks of all processes cover the dimension", section);
  dimension.block_size = static_cast<std::size_t>(argument);
  return MPI_SUCCESS;
}

int check_grid(const Call& call, int size, int rank, int ndims, const int* gsizes,
               const int* psizes) {
  const char* const section = "4.1.4";
  if (size < 1)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument size is %d, and must be positive (MPI 3.1, section 4.1.4)", size);
  if (rank < 0 || rank >= size)
    return call.fail(nullptr, MPI_ERR_RANK,
                     "argument rank is %d, but the processes are 0 to %d (MPI 3.1, section 4.1.4)",
                     rank, size - 1);
  long long processes = 1;
  for (int index = 0; index < ndims; ++index) {
    if (gsizes[index] < 1)
      return fail_value(call, "array_of_gsizes", index, gsizes[index], "positive", section);
    if (psizes[index] < 1)
      return fail_value(call, "array_of_psizes", index, psizes[index], "positive", section);
    processes = std::min<long long>(processes * psizes[index], INT32_MAX);
  }
  if (processes == size) return MPI_SUCCESS;
  return call.fail(nullptr, MPI_ERR_ARG,
                   "the product of array_of_psizes is %lld, but argument size is %d (MPI 3.1, "
                   "section 4.1.4)",
                   processes, size);
}

void append(std::vector<int>& to, const int* values, int count) {
  to.insert(to.end(), values, values + count);
}

}  // namespace

ORRERY_MPI_API int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[],
                                            const int starts[], int order, MPI_Datatype oldtype,
                                            MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_subarray");
  const Datatype* old = nullptr;
  if (const int error = check_common(call, ndims, order, oldtype, newtype, "4.1.3", old))
    return error;
  if (const int error = check_subarray(call, ndims, sizes, subsizes, starts)) return error;
  TypeRecipe recipe{MPI_COMBINER_SUBARRAY, {ndims}, {}, {*old}};
  for (const int* array : {sizes, subsizes, starts}) append(recipe.integers, array, ndims);
  recipe.integers.push_back(order);
  std::vector<SubarrayDimension> dimensions;
  for (int index = 0; index < ndims; ++index)
    dimensions.push_back({static_cast<std::size_t>(sizes[index]),
                          static_cast<std::size_t>(subsizes[index]),
                          static_cast<std::size_t>(starts[index])});
  if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());
  *newtype = make_type(call.state, subarray(*old, dimensions), std::move(recipe));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_create_subarray);

ORRERY_MPI_API int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[],
                                          const int distribs[], const int dargs[],
                                          const int psizes[], int order, MPI_Datatype oldtype,
                                          MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_darray");
  const Datatype* old = nullptr;
  if (const int error = check_common(call, ndims, order, oldtype, newtype, "4.1.4", old))
    return error;
  if (const int error = check_arrays(call,
                                     {{gsizes, "array_of_gsizes"},
                                      {distribs, "array_of_distribs"},
                                      {dargs, "array_of_dargs"},
                                      {psizes, "array_of_psizes"}},
                                     "4.1.4"))
    return error;
  if (const int error = check_grid(call, size, rank, ndims, gsizes, psizes)) return error;
  TypeRecipe recipe{MPI_COMBINER_DARRAY, {size, rank, ndims}, {}, {*old}};
  for (const int* array : {gsizes, distribs, dargs, psizes}) append(recipe.integers, array, ndims);
  recipe.integers.push_back(order);
  std::vector<DealtDimension> dimensions(static_cast<std::size_t>(ndims));
  // The grid of processes is in row-major order, whatever the order of the array.
  int rest = rank;
  for (int index = ndims - 1; index >= 0; --index) {
    DealtDimension& dimension = dimensions[static_cast<std::size_t>(index)];
    dimension.size = static_cast<std::size_t>(gsizes[index]);
    dimension.processes = static_cast<std::size_t>(psizes[index]);
    dimension.process = static_cast<std::size_t>(rest % psizes[index]);
    rest /= psizes[index];
    if (const int error = check_distribution(call, index, distribs[index], dargs[index],
                                             psizes[index], dimension))
      return error;
  }
  if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());
  *newtype = make_type(call.state, dealt_array(*old, dimensions), std::move(recipe));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_create_darray);
