// MPI 3.1, chapter 4: derived types.
#include <climits>
#include <vector>

#include "call.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// A type under construction belongs to its rank from the start; nothing here waits, so none is
// left half made.
int create(const Call& call, std::span<const Part> parts, MPI_Datatype* newtype) {
  Datatype* const type = call.state.types.create();
  assemble(*type, parts);
  *newtype = type;
  return MPI_SUCCESS;
}

int check_old_type(const Call& call, int count, MPI_Datatype oldtype, MPI_Datatype* newtype,
                   const Datatype*& old) {
  if (const int error = call.check_count(nullptr, count, "count")) return error;
  if (const int error = call.check_type(nullptr, oldtype, "oldtype", old)) return error;
  return call.check_result(newtype, "newtype");
}

int create_strided(const Call& call, int count, int blocklength, std::ptrdiff_t stride_bytes,
                   const Datatype& old, MPI_Datatype* newtype) {
  if (const int error = call.check_count(nullptr, blocklength, "blocklength")) return error;
  std::vector<Part> parts;
  parts.reserve(static_cast<std::size_t>(count));
  for (int block = 0; block < count; ++block)
    parts.push_back({&old, static_cast<std::size_t>(blocklength), block * stride_bytes});
  return create(call, parts, newtype);
}

}  // namespace

ORRERY_MPI_API int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_contiguous");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  const Part part{old, static_cast<std::size_t>(count), 0};
  return create(call, {&part, 1}, newtype);
}
ORRERY_PROFILED(MPI_Type_contiguous);

ORRERY_MPI_API int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_vector");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  return create_strided(call, count, blocklength, stride * old->extent_bytes(), *old, newtype);
}
ORRERY_PROFILED(MPI_Type_vector);

ORRERY_MPI_API int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride,
                                           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_hvector");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  return create_strided(call, count, blocklength, stride, *old, newtype);
}
ORRERY_PROFILED(MPI_Type_create_hvector);

ORRERY_MPI_API int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_indexed");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  std::vector<Part> parts;
  for (int block = 0; block < count; ++block) {
    if (const int error = call.check_count(nullptr, blocklengths[block], "array_of_blocklengths"))
      return error;
    parts.push_back({old, static_cast<std::size_t>(blocklengths[block]),
                     displacements[block] * old->extent_bytes()});
  }
  return create(call, parts, newtype);
}
ORRERY_PROFILED(MPI_Type_indexed);

ORRERY_MPI_API int MPI_Type_create_struct(int count, const int blocklengths[],
                                          const MPI_Aint displacements[],
                                          const MPI_Datatype types[], MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_struct");
  if (const int error = call.check_count(nullptr, count, "count")) return error;
  if (const int error = call.check_result(newtype, "newtype")) return error;
  std::vector<Part> parts;
  std::ptrdiff_t alignment = 1;
  for (int block = 0; block < count; ++block) {
    const Datatype* old = nullptr;
    if (const int error = call.check_count(nullptr, blocklengths[block], "array_of_blocklengths"))
      return error;
    if (const int error = call.check_type(nullptr, types[block], "array_of_types", old))
      return error;
    parts.push_back({old, static_cast<std::size_t>(blocklengths[block]), displacements[block]});
    alignment = std::max(alignment, alignment_bytes(*old));
  }
  if (const int error = create(call, parts, newtype)) return error;
  // An array of such structs must be described too: the extent is rounded up to the strictest
  // alignment, as compilers lay out a struct (the epsilon of section 4.1.6).
  Datatype& type = **newtype;
  const std::ptrdiff_t rest = type.extent_bytes() % alignment;
  if (rest != 0) type.upper_bound += alignment - rest;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_create_struct);

ORRERY_MPI_API int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                                           MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_resized");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, 1, oldtype, newtype, old)) return error;
  const Part part{old, 1, 0};
  if (const int error = create(call, {&part, 1}, newtype)) return error;
  (*newtype)->lower_bound = lb;
  (*newtype)->upper_bound = lb + extent;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_create_resized);

ORRERY_MPI_API int MPI_Type_commit(MPI_Datatype* datatype) {
  const Call call = ORRERY_CALL("MPI_Type_commit");
  if (const int error = call.check_result(datatype, "datatype")) return error;
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, *datatype, "datatype", type)) return error;
  if (type->builtin() == Builtin::none) (*datatype)->committed = true;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_commit);

ORRERY_MPI_API int MPI_Type_free(MPI_Datatype* datatype) {
  const Call call = ORRERY_CALL("MPI_Type_free");
  if (const int error = call.check_result(datatype, "datatype")) return error;
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, *datatype, "datatype", type)) return error;
  if (type->builtin() != Builtin::none)
    return call.fail(nullptr, MPI_ERR_TYPE,
                     "argument datatype is %s, and a predefined type cannot be freed (MPI 3.1, "
                     "section 4.1.9)",
                     type->name);
  (*datatype)->freed = true;
  release(call.state, *type);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_free);

ORRERY_MPI_API int MPI_Type_size(MPI_Datatype datatype, int* size) {
  const Call call = ORRERY_CALL("MPI_Type_size");
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = type->size_bytes <= INT_MAX ? static_cast<int>(type->size_bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_size);

ORRERY_MPI_API int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  const Call call = ORRERY_CALL("MPI_Type_get_extent");
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(lb, "lb")) return error;
  if (const int error = call.check_result(extent, "extent")) return error;
  *lb = type->lower_bound;
  *extent = type->extent_bytes();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_get_extent);

ORRERY_MPI_API int MPI_Get_address(const void* location, MPI_Aint* address) {
  const Call call = ORRERY_CALL("MPI_Get_address");
  if (const int error = call.check_result(address, "address")) return error;
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_address);
