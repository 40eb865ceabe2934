#include "derived_types.hpp"

#include <algorithm>
#include <utility>

namespace orrery::mpi {
namespace {

// What one process has of a dimension: blocks of `block` elements each `stride` apart, the last of
// which may be shorter.
struct Share {
  std::size_t first = 0;
  std::size_t blocks = 0;
  std::size_t block = 0;
  std::size_t stride = 0;
  std::size_t rest = 0;  ///< elements of the last, shorter one
};

Share share_of(const DealtDimension& dimension) {
  if (dimension.distribution == MPI_DISTRIBUTE_NONE) return {0, 1, dimension.size, 0, 0};
  Share share;
  share.block = dimension.block_size;
  share.first = dimension.process * share.block;
  share.stride = dimension.processes * share.block;
  if (share.first >= dimension.size) return share;
  const std::size_t left = dimension.size - share.first;
  if (dimension.distribution == MPI_DISTRIBUTE_BLOCK) {
    share.blocks = left >= share.block ? 1 : 0;
    share.rest = left >= share.block ? 0 : left;
    return share;
  }
  share.blocks = left / share.stride;
  const std::size_t tail = left % share.stride;
  if (tail >= share.block)
    ++share.blocks;
  else
    share.rest = tail;
  return share;
}

}  // namespace

MPI_Datatype make_type(RankState& state, TypeShape shape, TypeRecipe recipe) {
  Datatype* const type = state.types.create();
  static_cast<TypeShape&>(*type) = std::move(shape);
  type->predefined = Builtin::none;
  type->recipe = std::make_shared<const TypeRecipe>(std::move(recipe));
  return type;
}

MPI_Datatype handle_for(RankState& state, const TypeShape& shape) {
  if (shape.recipe == nullptr) return predefined_handle(shape.predefined);
  if (shape.predefined != Builtin::none) {
    for (Datatype* const type : state.parameterized_types)
      if (type->recipe == shape.recipe) return type;
  }
  Datatype* const type = state.types.create();
  static_cast<TypeShape&>(*type) = shape;
  return type;
}

Envelope envelope_of(const TypeShape& shape) {
  if (shape.recipe == nullptr) return {};
  const TypeRecipe& recipe = *shape.recipe;
  return {static_cast<int>(recipe.integers.size()), static_cast<int>(recipe.addresses.size()),
          static_cast<int>(recipe.types.size()), recipe.combiner};
}

Builtin pair_made_of(const TypeShape& shape) {
  if (shape.recipe == nullptr || shape.predefined != Builtin::none)
    return describe(shape.predefined).type_class == TypeClass::pair ? shape.predefined
                                                                    : Builtin::none;
  const TypeRecipe& recipe = *shape.recipe;
  Builtin pair = Builtin::none;
  for (std::size_t index = 0; index < recipe.types.size(); ++index) {
    // Blocks without elements are not part of a struct; the number of blocks comes first.
    const bool is_empty = recipe.combiner == MPI_COMBINER_STRUCT && recipe.integers[index + 1] == 0;
    if (is_empty || recipe.types[index].size_bytes == 0) continue;
    const Builtin part = pair_made_of(recipe.types[index]);
    if (part == Builtin::none || (pair != Builtin::none && part != pair)) return Builtin::none;
    pair = part;
  }
  return pair;
}

TypeShape subarray(const TypeShape& element, const std::vector<SubarrayDimension>& dimensions) {
  TypeShape part = element;
  std::ptrdiff_t element_bytes = element.extent_bytes();
  std::ptrdiff_t start_bytes = 0;
  for (const SubarrayDimension& dimension : dimensions) {
    part = strided(part, dimension.part_size, element_bytes);
    start_bytes += as_offset(dimension.start) * element_bytes;
    element_bytes *= as_offset(dimension.size);
  }
  ShapeBuilder whole;
  whole.add(part, 1, start_bytes);
  return resized(whole.build(), 0, element_bytes);
}

TypeShape dealt_array(const TypeShape& element, const std::vector<DealtDimension>& dimensions) {
  TypeShape part = element;
  std::ptrdiff_t element_bytes = element.extent_bytes();
  for (const DealtDimension& dimension : dimensions) {
    const Share share = share_of(dimension);
    const TypeShape block = strided(part, share.block, element_bytes);
    ShapeBuilder blocks;
    blocks.add_strided(block, share.blocks, as_offset(share.first) * element_bytes,
                       as_offset(share.stride) * element_bytes);
    const std::size_t after = share.first + share.blocks * share.stride;
    blocks.add_strided(part, share.rest, as_offset(after) * element_bytes, element_bytes);
    part = blocks.build();
    element_bytes *= as_offset(dimension.size);
  }
  return resized(std::move(part), 0, element_bytes);
}

}  // namespace orrery::mpi
