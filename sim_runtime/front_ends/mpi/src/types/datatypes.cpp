#include "datatypes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace orrery::mpi {
namespace {

void finish_shape(TypeShape& shape) {
  const Layout& layout = *shape.layout;
  shape.size_bytes = layout.size_bytes;
  shape.true_lower_bound = layout.begin_bytes;
  shape.true_upper_bound = layout.end_bytes;
  const bool is_run = layout.is_run() && layout.begin_bytes == 0 && shape.lower_bound == 0;
  shape.contiguous =
      layout.size_bytes == 0 ||
      (is_run && shape.upper_bound == static_cast<std::ptrdiff_t>(layout.size_bytes));
}

Datatype make_builtin(Builtin which) {
  const BuiltinInfo& info = describe(which);
  LayoutBuilder layout;
  if (info.first == Builtin::none) {
    layout.add_run(0, which, info.type_class == TypeClass::none ? 0 : 1);
  } else {
    layout.add_run(0, info.first, 1);
    layout.add_run(static_cast<std::ptrdiff_t>(info.second_offset), info.second, 1);
  }
  Datatype type;
  type.header = {predefined_magic, HandleKind::datatype, static_cast<std::uint32_t>(which)};
  type.name = info.name;
  type.committed = true;
  type.predefined = which;
  type.upper_bound = static_cast<std::ptrdiff_t>(info.extent_bytes);
  type.layout = layout.build();
  finish_shape(type);
  return type;
}

std::array<Datatype, builtin_count> make_builtins() {
  std::array<Datatype, builtin_count> types;
  for (std::size_t index = 0; index < builtin_count; ++index)
    types[index] = make_builtin(static_cast<Builtin>(index));
  return types;
}

}  // namespace

const Datatype& builtin_type(Builtin type) {
  static const std::array<Datatype, builtin_count> types = make_builtins();
  return types[static_cast<std::size_t>(type)];
}

void ShapeBuilder::Bounds::include(std::ptrdiff_t offset_bytes, const TypeShape& type) {
  lower = std::min(lower, offset_bytes + type.lower_bound);
  upper = std::max(upper, offset_bytes + type.upper_bound);
  is_set = true;
}

void ShapeBuilder::add_strided(const TypeShape& type, std::size_t count,
                               std::ptrdiff_t offset_bytes, std::ptrdiff_t stride_bytes) {
  if (count == 0 || (type.size_bytes == 0 && !type.has_markers)) return;
  Bounds& bounds = type.has_markers ? marked_ : natural_;
  bounds.include(offset_bytes, type);
  bounds.include(offset_bytes + as_offset(count - 1) * stride_bytes, type);
  layout_.add(type.layout, offset_bytes, count, stride_bytes);
}

TypeShape ShapeBuilder::build() {
  TypeShape shape;
  shape.layout = layout_.build();
  shape.has_markers = marked_.is_set;
  const Bounds& bounds = shape.has_markers ? marked_ : natural_;
  if (bounds.is_set) {
    shape.lower_bound = bounds.lower;
    shape.upper_bound = bounds.upper;
  }
  // An array of structs must be described too: without markers the extent is rounded up to the
  // strictest alignment, as compilers lay out a struct (the epsilon of section 4.1.6).
  if (!shape.has_markers) {
    const std::ptrdiff_t alignment = as_offset(shape.layout->alignment_bytes);
    const std::ptrdiff_t rest = shape.extent_bytes() % alignment;
    if (rest != 0) shape.upper_bound += alignment - rest;
  }
  finish_shape(shape);
  return shape;
}

TypeShape strided(const TypeShape& type, std::size_t count, std::ptrdiff_t stride_bytes) {
  ShapeBuilder builder;
  builder.add_strided(type, count, 0, stride_bytes);
  return builder.build();
}

TypeShape resized(TypeShape type, std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes) {
  type.lower_bound = lower_bound;
  type.upper_bound = lower_bound + extent_bytes;
  type.has_markers = true;
  type.predefined = Builtin::none;
  type.recipe = nullptr;
  finish_shape(type);
  return type;
}

Footprint footprint(const Datatype& type, std::size_t count) {
  if (count == 0 || type.size_bytes == 0) return {};
  const std::ptrdiff_t last = as_offset(count - 1) * type.extent_bytes();
  return {type.true_lower_bound + std::min<std::ptrdiff_t>(0, last),
          type.true_upper_bound + std::max<std::ptrdiff_t>(0, last)};
}

Signature signature(const Datatype& type, std::size_t count, std::size_t size_bytes_max) {
  const std::size_t all_bytes = type.size_bytes * count;
  if (size_bytes_max >= all_bytes) return {repeated(type.layout->sequence, count).hash, all_bytes};
  const std::size_t whole = size_bytes_max / type.size_bytes;
  std::size_t left_bytes = size_bytes_max % type.size_bytes;
  const ValueSequence start = repeated(type.layout->sequence, whole);
  return {joined(start, prefix_sequence(*type.layout, left_bytes)).hash, size_bytes_max};
}

namespace {

// How many values the first bytes of a layout hold; leaves what is no whole value.
std::uint64_t prefix_values(const Layout& layout, std::size_t& left_bytes) {
  std::uint64_t values = 0;
  for (const LayoutNode& node : layout.nodes) {
    const bool is_run = node.inner == nullptr;
    const std::size_t once_bytes = is_run ? node.value_bytes : node.inner->size_bytes;
    const std::size_t times = node.repeats * (is_run ? node.values : 1);
    const std::size_t whole = std::min(times, left_bytes / once_bytes);
    values += whole * (is_run ? 1 : node.inner->sequence.values);
    left_bytes -= whole * once_bytes;
    if (whole == times) continue;
    return is_run ? values : values + prefix_values(*node.inner, left_bytes);
  }
  return values;
}

}  // namespace

ValueCount count_values(const Datatype& type, std::size_t size_bytes) {
  if (type.size_bytes == 0) return {0, size_bytes == 0};
  std::uint64_t values = size_bytes / type.size_bytes * type.layout->sequence.values;
  std::size_t left_bytes = size_bytes % type.size_bytes;
  values += prefix_values(*type.layout, left_bytes);
  return {values, left_bytes == 0};
}

bool is_packed(const Datatype& type) {
  return type.layout->nodes.size() == 1 && type.layout->nodes.front().basic == Builtin::packed;
}

const void* find_packed(const Datatype& type, std::size_t count, const void* buffer) {
  if (count == 0 || type.is_contiguous()) return buffer;
  if (count != 1 || !type.layout->is_run()) return nullptr;
  return static_cast<const std::byte*>(buffer) + type.layout->begin_bytes;
}

void pack(const Datatype& type, std::size_t count, const void* buffer, std::byte* packed) {
  if (count == 0 || type.size_bytes == 0) return;
  const auto* base = static_cast<const std::byte*>(buffer);
  if (type.is_contiguous()) {
    std::memcpy(packed, base, count * type.size_bytes);
    return;
  }
  for (std::size_t element = 0; element < count; ++element, base += type.extent_bytes())
    packed = pack_layout(*type.layout, base, packed);
}

void unpack(const Datatype& type, std::size_t count, void* buffer, const std::byte* packed,
            std::size_t size_bytes) {
  size_bytes = std::min(size_bytes, count * type.size_bytes);
  if (size_bytes == 0) return;
  auto* base = static_cast<std::byte*>(buffer);
  if (type.is_contiguous()) {
    std::memcpy(base, packed, size_bytes);
    return;
  }
  for (; size_bytes >= type.size_bytes; size_bytes -= type.size_bytes) {
    packed = unpack_layout(*type.layout, base, packed);
    base += type.extent_bytes();
  }
  unpack_prefix(*type.layout, base, packed, size_bytes);
}

}  // namespace orrery::mpi
