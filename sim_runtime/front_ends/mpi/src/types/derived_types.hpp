// Making types out of others (MPI 3.1, section 4.1).
#pragma once

#include "calls/call.hpp"

namespace orrery::mpi {

/// Makes the object of a new type, not committed.
MPI_Datatype make_type(RankState& state, TypeShape shape, TypeRecipe recipe);

/// A handle for what a type was made of (section 4.1.13): the predefined one, or a new one, which
/// is the program's to free.
MPI_Datatype handle_for(RankState& state, const TypeShape& shape);

/// The handle of a predefined type.
MPI_Datatype predefined_handle(Builtin type);

/// The numbers of values and handles that MPI_Type_get_contents gives for it.
struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
};
Envelope envelope_of(const TypeShape& shape);

/// The pair type of MPI_MAXLOC and MPI_MINLOC of which alone the type is made, or `none`.  Its
/// layout does not tell: that has values and indices.
Builtin pair_made_of(const TypeShape& shape);

/// One dimension of an array that is dealt out to processes (section 4.1.4).
struct DealtDimension {
  std::size_t size = 0;        ///< of the whole array
  int distribution = 0;        ///< MPI_DISTRIBUTE_...
  std::size_t block_size = 0;  ///< of a block or cyclic one
  std::size_t processes = 1;
  std::size_t process = 0;  ///< whose part it is
};
/// A part of an array: dimension 0 is the one whose elements lie side by side.
TypeShape dealt_array(const TypeShape& element, const std::vector<DealtDimension>& dimensions);

struct SubarrayDimension {
  std::size_t size = 0;
  std::size_t part_size = 0;
  std::size_t start = 0;
};
TypeShape subarray(const TypeShape& element, const std::vector<SubarrayDimension>& dimensions);

}  // namespace orrery::mpi
