#include "layout.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace orrery::mpi {
namespace {

// A layout of so few nodes is copied into the one that it becomes a part of.
constexpr std::size_t inlined_nodes_max = 8;

void widen(Layout& layout, std::ptrdiff_t begin_bytes, std::ptrdiff_t end_bytes) {
  layout.begin_bytes = std::min(layout.begin_bytes, begin_bytes);
  layout.end_bytes = std::max(layout.end_bytes, end_bytes);
}

void account(Layout& layout, const LayoutNode& node) {
  const bool is_run = node.inner == nullptr;
  const std::size_t bytes = is_run ? node.run_bytes() : node.inner->size_bytes;
  const std::ptrdiff_t begin = node.offset_bytes + (is_run ? 0 : node.inner->begin_bytes);
  const std::ptrdiff_t end =
      node.offset_bytes + (is_run ? static_cast<std::ptrdiff_t>(bytes) : node.inner->end_bytes);
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(node.repeats - 1) * node.stride_bytes;
  // Where a repetition lies grows steadily with its number: the ends are at the first or the last.
  widen(layout, begin, end);
  widen(layout, begin + last, end + last);
  layout.size_bytes += node.repeats * bytes;
  layout.runs += node.repeats * (is_run ? 1 : node.inner->runs);
  layout.alignment_bytes =
      std::max(layout.alignment_bytes,
               is_run ? describe(node.basic).alignment_bytes : node.inner->alignment_bytes);
  const ValueSequence once =
      is_run ? repeated(sequence_of(node.basic), node.values) : node.inner->sequence;
  layout.sequence = joined(layout.sequence, repeated(once, node.repeats));
}

bool same_run(const LayoutNode& a, const LayoutNode& b) {
  return a.inner == nullptr && b.inner == nullptr && a.basic == b.basic && a.values == b.values;
}

// The direction of a copy between a program's memory and packed values.
struct Packing {
  using Memory = const std::byte*;
  using Packed = std::byte*;
  static void copy(Memory memory, Packed packed, std::size_t bytes) {
    std::memcpy(packed, memory, bytes);
  }
};
struct Unpacking {
  using Memory = std::byte*;
  using Packed = const std::byte*;
  static void copy(Memory memory, Packed packed, std::size_t bytes) {
    std::memcpy(memory, packed, bytes);
  }
};

// With a number of bytes that the compiler knows, a copy is a load and a store.
template <typename Direction, std::size_t bytes>
typename Direction::Packed copy_fixed_runs(const LayoutNode& node,
                                           typename Direction::Memory memory,
                                           typename Direction::Packed packed) {
  for (std::size_t repeat = 0; repeat < node.repeats; ++repeat) {
    Direction::copy(memory, packed, bytes);
    memory += node.stride_bytes;
    packed += bytes;
  }
  return packed;
}

template <typename Direction>
typename Direction::Packed copy_runs(const LayoutNode& node, typename Direction::Memory memory,
                                     typename Direction::Packed packed) {
  const std::size_t bytes = node.run_bytes();
  switch (bytes) {
    case 1: return copy_fixed_runs<Direction, 1>(node, memory, packed);
    case 2: return copy_fixed_runs<Direction, 2>(node, memory, packed);
    case 4: return copy_fixed_runs<Direction, 4>(node, memory, packed);
    case 8: return copy_fixed_runs<Direction, 8>(node, memory, packed);
    case 16: return copy_fixed_runs<Direction, 16>(node, memory, packed);
    case 24: return copy_fixed_runs<Direction, 24>(node, memory, packed);
    case 32: return copy_fixed_runs<Direction, 32>(node, memory, packed);
    default: break;
  }
  for (std::size_t repeat = 0; repeat < node.repeats; ++repeat) {
    Direction::copy(memory, packed, bytes);
    memory += node.stride_bytes;
    packed += bytes;
  }
  return packed;
}

template <typename Direction>
typename Direction::Packed copy_layout(const Layout& layout, typename Direction::Memory memory,
                                       typename Direction::Packed packed) {
  for (const LayoutNode& node : layout.nodes) {
    typename Direction::Memory place = memory + node.offset_bytes;
    if (node.inner == nullptr) {
      packed = copy_runs<Direction>(node, place, packed);
      continue;
    }
    for (std::size_t repeat = 0; repeat < node.repeats; ++repeat, place += node.stride_bytes)
      packed = copy_layout<Direction>(*node.inner, place, packed);
  }
  return packed;
}

}  // namespace

void LayoutBuilder::add_node(LayoutNode node) {
  if (node.inner == nullptr && node.repeats > 1 &&
      node.stride_bytes == static_cast<std::ptrdiff_t>(node.run_bytes())) {
    node.values *= node.repeats;
    node.repeats = 1;
  }
  if (nodes_.empty() || node.inner != nullptr || node.repeats != 1) {
    nodes_.push_back(std::move(node));
    return;
  }
  LayoutNode& last = nodes_.back();
  const std::ptrdiff_t distance = node.offset_bytes - last.offset_bytes;
  const bool follows = distance == static_cast<std::ptrdiff_t>(last.run_bytes());
  if (last.inner == nullptr && last.repeats == 1 && last.basic == node.basic && follows) {
    last.values += node.values;
  } else if (same_run(last, node) && last.repeats == 1) {
    last.repeats = 2;
    last.stride_bytes = distance;
  } else if (same_run(last, node) &&
             distance == static_cast<std::ptrdiff_t>(last.repeats) * last.stride_bytes) {
    ++last.repeats;
  } else {
    nodes_.push_back(std::move(node));
  }
}

void LayoutBuilder::add_run(std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
  if (values == 0) return;
  const auto value_bytes = static_cast<std::uint32_t>(describe(basic).extent_bytes);
  add_node({offset_bytes, 1, 0, values, basic, value_bytes, nullptr});
}

void LayoutBuilder::add(const LayoutPointer& layout, std::ptrdiff_t offset_bytes,
                        std::size_t repeats, std::ptrdiff_t stride_bytes) {
  if (repeats == 0 || layout->size_bytes == 0) return;
  if (repeats == 1 && layout->nodes.size() <= inlined_nodes_max) {
    for (LayoutNode node : layout->nodes) {
      node.offset_bytes += offset_bytes;
      add_node(std::move(node));
    }
    return;
  }
  if (layout->nodes.size() == 1) {
    LayoutNode node = layout->nodes.front();
    const bool continues =
        static_cast<std::ptrdiff_t>(node.repeats) * node.stride_bytes == stride_bytes;
    if (node.repeats == 1 || continues) {
      if (node.repeats == 1) node.stride_bytes = stride_bytes;
      node.repeats *= repeats;
      node.offset_bytes += offset_bytes;
      add_node(std::move(node));
      return;
    }
  }
  add_node({offset_bytes, repeats, stride_bytes, 0, Builtin::none, 0, layout});
}

LayoutPointer LayoutBuilder::build() {
  auto layout = std::make_shared<Layout>();
  layout->nodes = std::move(nodes_);
  if (!layout->nodes.empty()) {
    layout->begin_bytes = PTRDIFF_MAX;
    layout->end_bytes = PTRDIFF_MIN;
  }
  for (const LayoutNode& node : layout->nodes) account(*layout, node);
  return layout;
}

std::byte* pack_layout(const Layout& layout, const std::byte* memory, std::byte* packed) {
  return copy_layout<Packing>(layout, memory, packed);
}

const std::byte* unpack_layout(const Layout& layout, std::byte* memory, const std::byte* packed) {
  return copy_layout<Unpacking>(layout, memory, packed);
}

void unpack_prefix(const Layout& layout, std::byte* memory, const std::byte*& packed,
                   std::size_t& left_bytes) {
  for (const LayoutNode& node : layout.nodes) {
    std::byte* place = memory + node.offset_bytes;
    for (std::size_t repeat = 0; repeat < node.repeats; ++repeat, place += node.stride_bytes) {
      if (left_bytes == 0) return;
      if (node.inner != nullptr) {
        unpack_prefix(*node.inner, place, packed, left_bytes);
        continue;
      }
      const std::size_t bytes = std::min(left_bytes, node.run_bytes());
      std::memcpy(place, packed, bytes);
      packed += bytes;
      left_bytes -= bytes;
    }
  }
}

ValueSequence prefix_sequence(const Layout& layout, std::size_t& left_bytes) {
  ValueSequence result;
  for (const LayoutNode& node : layout.nodes) {
    if (left_bytes == 0) break;
    const bool is_run = node.inner == nullptr;
    const std::size_t once_bytes = is_run ? node.value_bytes : node.inner->size_bytes;
    const std::size_t times = node.repeats * (is_run ? node.values : 1);
    const std::size_t whole = std::min(times, left_bytes / once_bytes);
    const ValueSequence once = is_run ? sequence_of(node.basic) : node.inner->sequence;
    result = joined(result, repeated(once, whole));
    left_bytes -= whole * once_bytes;
    if (whole == times || left_bytes == 0) continue;
    if (!is_run) return joined(result, prefix_sequence(*node.inner, left_bytes));
    // A value that only begins to fit gives a sequence like no other's.
    left_bytes = 0;
    return joined(result, sequence_of(Builtin::none));
  }
  return result;
}

}  // namespace orrery::mpi
