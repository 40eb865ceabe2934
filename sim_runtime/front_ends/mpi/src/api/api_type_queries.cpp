// MPI 3.1, sections 4.1.5 to 4.1.13: what a type is like.
#include <climits>

#include "types/derived_types.hpp"

using namespace orrery::mpi;

namespace {

template <typename Number>
int give_size(const Call& call, MPI_Datatype datatype, Number* size, std::size_t most) {
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = type->size_bytes <= most ? static_cast<Number>(type->size_bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

template <typename Number>
int give_extent(const Call& call, MPI_Datatype datatype, Number* lb, Number* extent) {
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(lb, "lb")) return error;
  if (const int error = call.check_result(extent, "extent")) return error;
  *lb = type->lower_bound;
  *extent = type->extent_bytes();
  return MPI_SUCCESS;
}

template <typename Number>
int give_true_extent(const Call& call, MPI_Datatype datatype, Number* true_lb,
                     Number* true_extent) {
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(true_lb, "true_lb")) return error;
  if (const int error = call.check_result(true_extent, "true_extent")) return error;
  *true_lb = type->true_lower_bound;
  *true_extent = type->true_upper_bound - type->true_lower_bound;
  return MPI_SUCCESS;
}

template <typename Number>
int give_elements(const Call& call, const MPI_Status* status, MPI_Datatype datatype, Number* count,
                  std::uint64_t most) {
  const Datatype* type = nullptr;
  if (const int error = call.check_result(status, "status")) return error;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(count, "count")) return error;
  const ValueCount counted = count_values(*type, status->_ucount);
  const bool fits = counted.is_whole && counted.values <= most;
  *count = fits ? static_cast<Number>(counted.values) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int check_room(const Call& call, int given, int needed, const char* argument, const void* array,
               const char* array_argument) {
  if (given < needed)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument %s is %d, but MPI_Type_get_envelope gives %d (MPI 3.1, section "
                     "4.1.13)",
                     argument, given, needed);
  return needed == 0 ? MPI_SUCCESS : call.check_result(array, array_argument);
}

}  // namespace

ORRERY_MPI_API int MPI_Type_size(MPI_Datatype datatype, int* size) {
  return give_size(ORRERY_CALL("MPI_Type_size"), datatype, size, INT_MAX);
}
ORRERY_PROFILED(MPI_Type_size);

ORRERY_MPI_API int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return give_size(ORRERY_CALL("MPI_Type_size_x"), datatype, size, LLONG_MAX);
}
ORRERY_PROFILED(MPI_Type_size_x);

ORRERY_MPI_API int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return give_extent(ORRERY_CALL("MPI_Type_get_extent"), datatype, lb, extent);
}
ORRERY_PROFILED(MPI_Type_get_extent);

ORRERY_MPI_API int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return give_extent(ORRERY_CALL("MPI_Type_get_extent_x"), datatype, lb, extent);
}
ORRERY_PROFILED(MPI_Type_get_extent_x);

ORRERY_MPI_API int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb,
                                            MPI_Aint* true_extent) {
  return give_true_extent(ORRERY_CALL("MPI_Type_get_true_extent"), datatype, true_lb, true_extent);
}
ORRERY_PROFILED(MPI_Type_get_true_extent);

ORRERY_MPI_API int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb,
                                              MPI_Count* true_extent) {
  return give_true_extent(ORRERY_CALL("MPI_Type_get_true_extent_x"), datatype, true_lb,
                          true_extent);
}
ORRERY_PROFILED(MPI_Type_get_true_extent_x);

ORRERY_MPI_API int MPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers,
                                         int* num_addresses, int* num_datatypes, int* combiner) {
  const Call call = ORRERY_CALL("MPI_Type_get_envelope");
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(num_integers, "num_integers")) return error;
  if (const int error = call.check_result(num_addresses, "num_addresses")) return error;
  if (const int error = call.check_result(num_datatypes, "num_datatypes")) return error;
  if (const int error = call.check_result(combiner, "combiner")) return error;
  const Envelope envelope = envelope_of(*type);
  *num_integers = envelope.integers;
  *num_addresses = envelope.addresses;
  *num_datatypes = envelope.types;
  *combiner = envelope.combiner;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_get_envelope);

ORRERY_MPI_API int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                                         int max_datatypes, int integers[], MPI_Aint addresses[],
                                         MPI_Datatype datatypes[]) {
  const Call call = ORRERY_CALL("MPI_Type_get_contents");
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (type->recipe == nullptr)
    return call.fail(nullptr, MPI_ERR_TYPE,
                     "argument datatype is %s, and a predefined type has no contents (MPI 3.1, "
                     "section 4.1.13)",
                     type->name);
  const Envelope envelope = envelope_of(*type);
  if (const int error = check_room(call, max_integers, envelope.integers, "max_integers", integers,
                                   "array_of_integers"))
    return error;
  if (const int error = check_room(call, max_addresses, envelope.addresses, "max_addresses",
                                   addresses, "array_of_addresses"))
    return error;
  if (const int error = check_room(call, max_datatypes, envelope.types, "max_datatypes", datatypes,
                                   "array_of_datatypes"))
    return error;
  const std::shared_ptr<const TypeRecipe> recipe = type->recipe;
  for (const int value : recipe->integers) *integers++ = value;
  for (const MPI_Aint value : recipe->addresses) *addresses++ = value;
  for (const TypeShape& part : recipe->types) *datatypes++ = handle_for(call.state, part);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_get_contents);

ORRERY_MPI_API int MPI_Get_address(const void* location, MPI_Aint* address) {
  const Call call = ORRERY_CALL("MPI_Get_address");
  if (const int error = call.check_result(address, "address")) return error;
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_address);

ORRERY_MPI_API int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return give_elements(ORRERY_CALL("MPI_Get_elements"), status, datatype, count, INT_MAX);
}
ORRERY_PROFILED(MPI_Get_elements);

ORRERY_MPI_API int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype,
                                      MPI_Count* count) {
  return give_elements(ORRERY_CALL("MPI_Get_elements_x"), status, datatype, count, LLONG_MAX);
}
ORRERY_PROFILED(MPI_Get_elements_x);
