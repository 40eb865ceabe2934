// MPI 3.1, section 4.1: making derived types.
#include <type_traits>
#include <utility>
#include <vector>

#include "types/derived_types.hpp"

using namespace orrery::mpi;

namespace {

// A type under construction belongs to its rank from the start; nothing here waits, so none is
// left half made.
int create(const Call& call, TypeShape shape, TypeRecipe recipe, MPI_Datatype* newtype) {
  *newtype = make_type(call.state, std::move(shape), std::move(recipe));
  return MPI_SUCCESS;
}

int check_old_type(const Call& call, int count, MPI_Datatype oldtype, MPI_Datatype* newtype,
                   const Datatype*& old) {
  if (const int error = call.check_count(nullptr, count, "count")) return error;
  if (const int error = call.check_type(nullptr, oldtype, "oldtype", old)) return error;
  return call.check_result(newtype, "newtype");
}

int check_array(const Call& call, int count, const void* array, const char* argument) {
  if (count == 0 || array != nullptr) return MPI_SUCCESS;
  return call.fail(nullptr, MPI_ERR_ARG,
                   "argument %s is a null pointer, and %d values are read there (MPI 3.1, section "
                   "4.1.2)",
                   argument, count);
}

int check_lengths(const Call& call, int count, const int* lengths, const char* argument) {
  if (const int error = check_array(call, count, lengths, argument)) return error;
  for (int block = 0; block < count; ++block) {
    if (lengths[block] >= 0) continue;
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument %s[%d] is %d, and must not be negative (MPI 3.1, section 4.1.2)",
                     argument, block, lengths[block]);
  }
  return MPI_SUCCESS;
}

// Both the number and the values of an array argument, as MPI_Type_get_contents gives them.
template <typename T>
void append(std::vector<T>& to, const T* values, int count) {
  if (count > 0) to.insert(to.end(), values, values + count);
}

TypeShape regular(const Datatype& old, int count, int blocklength, std::ptrdiff_t stride_bytes) {
  const TypeShape block = strided(old, static_cast<std::size_t>(blocklength), old.extent_bytes());
  return strided(block, static_cast<std::size_t>(count), stride_bytes);
}

// Blocks of one type, each at its place.
template <typename Displacement, typename LengthOf>
TypeShape scattered(const Datatype& old, int count, LengthOf length_of,
                    const Displacement* displacements, std::ptrdiff_t unit_bytes) {
  ShapeBuilder builder;
  for (int block = 0; block < count; ++block)
    builder.add(old, static_cast<std::size_t>(length_of(block)),
                static_cast<std::ptrdiff_t>(displacements[block]) * unit_bytes);
  return builder.build();
}

// Displacements are in elements, or, as addresses, in bytes.
template <typename Displacement, typename LengthOf>
int create_scattered(const Call& call, const Datatype& old, int count, LengthOf length_of,
                     const Displacement* displacements, TypeRecipe recipe, MPI_Datatype* newtype) {
  std::ptrdiff_t unit_bytes = 1;
  if constexpr (std::is_same_v<Displacement, int>) {
    unit_bytes = old.extent_bytes();
    append(recipe.integers, displacements, count);
  } else {
    append(recipe.addresses, displacements, count);
  }
  return create(call, scattered(old, count, length_of, displacements, unit_bytes),
                std::move(recipe), newtype);
}

template <typename Displacement>
int create_indexed(const Call& call, int combiner, int count, const int* blocklengths,
                   const Displacement* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  if (const int error = check_lengths(call, count, blocklengths, "array_of_blocklengths"))
    return error;
  if (const int error = check_array(call, count, displacements, "array_of_displacements"))
    return error;
  TypeRecipe recipe{combiner, {count}, {}, {*old}};
  append(recipe.integers, blocklengths, count);
  const auto length_of = [&](int block) { return blocklengths[block]; };
  return create_scattered(call, *old, count, length_of, displacements, std::move(recipe), newtype);
}

template <typename Displacement>
int create_indexed_block(const Call& call, int combiner, int count, int blocklength,
                         const Displacement* displacements, MPI_Datatype oldtype,
                         MPI_Datatype* newtype) {
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  if (const int error = call.check_count(nullptr, blocklength, "blocklength")) return error;
  if (const int error = check_array(call, count, displacements, "array_of_displacements"))
    return error;
  const auto length_of = [&](int) { return blocklength; };
  return create_scattered(call, *old, count, length_of, displacements,
                          {combiner, {count, blocklength}, {}, {*old}}, newtype);
}

}  // namespace

ORRERY_MPI_API int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_contiguous");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  return create(call, strided(*old, static_cast<std::size_t>(count), old->extent_bytes()),
                {MPI_COMBINER_CONTIGUOUS, {count}, {}, {*old}}, newtype);
}
ORRERY_PROFILED(MPI_Type_contiguous);

ORRERY_MPI_API int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_vector");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  if (const int error = call.check_count(nullptr, blocklength, "blocklength")) return error;
  return create(call, regular(*old, count, blocklength, stride * old->extent_bytes()),
                {MPI_COMBINER_VECTOR, {count, blocklength, stride}, {}, {*old}}, newtype);
}
ORRERY_PROFILED(MPI_Type_vector);

ORRERY_MPI_API int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride,
                                           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_hvector");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, count, oldtype, newtype, old)) return error;
  if (const int error = call.check_count(nullptr, blocklength, "blocklength")) return error;
  return create(call, regular(*old, count, blocklength, stride),
                {MPI_COMBINER_HVECTOR, {count, blocklength}, {stride}, {*old}}, newtype);
}
ORRERY_PROFILED(MPI_Type_create_hvector);

ORRERY_MPI_API int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return create_indexed(ORRERY_CALL("MPI_Type_indexed"), MPI_COMBINER_INDEXED, count, blocklengths,
                        displacements, oldtype, newtype);
}
ORRERY_PROFILED(MPI_Type_indexed);

ORRERY_MPI_API int MPI_Type_create_hindexed(int count, const int blocklengths[],
                                            const MPI_Aint displacements[], MPI_Datatype oldtype,
                                            MPI_Datatype* newtype) {
  return create_indexed(ORRERY_CALL("MPI_Type_create_hindexed"), MPI_COMBINER_HINDEXED, count,
                        blocklengths, displacements, oldtype, newtype);
}
ORRERY_PROFILED(MPI_Type_create_hindexed);

ORRERY_MPI_API int MPI_Type_create_indexed_block(int count, int blocklength,
                                                 const int displacements[], MPI_Datatype oldtype,
                                                 MPI_Datatype* newtype) {
  return create_indexed_block(ORRERY_CALL("MPI_Type_create_indexed_block"),
                              MPI_COMBINER_INDEXED_BLOCK, count, blocklength, displacements,
                              oldtype, newtype);
}
ORRERY_PROFILED(MPI_Type_create_indexed_block);

ORRERY_MPI_API int MPI_Type_create_hindexed_block(int count, int blocklength,
                                                  const MPI_Aint displacements[],
                                                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return create_indexed_block(ORRERY_CALL("MPI_Type_create_hindexed_block"),
                              MPI_COMBINER_HINDEXED_BLOCK, count, blocklength, displacements,
                              oldtype, newtype);
}
ORRERY_PROFILED(MPI_Type_create_hindexed_block);

ORRERY_MPI_API int MPI_Type_create_struct(int count, const int blocklengths[],
                                          const MPI_Aint displacements[],
                                          const MPI_Datatype types[], MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_struct");
  if (const int error = call.check_count(nullptr, count, "count")) return error;
  if (const int error = check_lengths(call, count, blocklengths, "array_of_blocklengths"))
    return error;
  if (const int error = check_array(call, count, displacements, "array_of_displacements"))
    return error;
  if (const int error = check_array(call, count, types, "array_of_types")) return error;
  if (const int error = call.check_result(newtype, "newtype")) return error;
  TypeRecipe recipe{MPI_COMBINER_STRUCT, {count}, {}, {}};
  append(recipe.integers, blocklengths, count);
  append(recipe.addresses, displacements, count);
  ShapeBuilder builder;
  for (int block = 0; block < count; ++block) {
    const Datatype* old = nullptr;
    if (const int error = call.check_type(nullptr, types[block], "array_of_types", old))
      return error;
    builder.add(*old, static_cast<std::size_t>(blocklengths[block]), displacements[block]);
    recipe.types.push_back(*old);
  }
  return create(call, builder.build(), std::move(recipe), newtype);
}
ORRERY_PROFILED(MPI_Type_create_struct);

ORRERY_MPI_API int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                                           MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_resized");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, 1, oldtype, newtype, old)) return error;
  return create(call, resized(*old, lb, extent), {MPI_COMBINER_RESIZED, {}, {lb, extent}, {*old}},
                newtype);
}
ORRERY_PROFILED(MPI_Type_create_resized);

ORRERY_MPI_API int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_dup");
  const Datatype* old = nullptr;
  if (const int error = check_old_type(call, 1, oldtype, newtype, old)) return error;
  if (const int error = create(call, *old, {MPI_COMBINER_DUP, {}, {}, {*old}}, newtype))
    return error;
  (*newtype)->committed = old->committed;
  const int error =
      copy_attributes(call, holder_of(call.state, oldtype, *old), (*newtype)->attributes);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  (*newtype)->freed = true;
  call.state.types.mark_freed(*newtype);
  release(call.state, **newtype);
  *newtype = MPI_DATATYPE_NULL;
  return error;
}
ORRERY_PROFILED(MPI_Type_dup);

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
  if (const int error = delete_attributes(call, holder_of(call.state, *datatype, *type)))
    return error;
  (*datatype)->freed = true;
  call.state.types.mark_freed(*datatype);
  release(call.state, *type);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_free);
