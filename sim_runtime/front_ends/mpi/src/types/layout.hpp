// How the values of a type lie in memory (the type map of MPI 3.1, section 4.1).
//
// A layout is a tree of loops over runs of values: a regular type is small however many values it
// has, and a type that is made of another shares what that one holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "builtins.hpp"
#include "signatures.hpp"

namespace orrery::mpi {

struct Layout;
using LayoutPointer = std::shared_ptr<const Layout>;

inline std::ptrdiff_t as_offset(std::size_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

/// `repeats` times the same thing, `stride_bytes` apart: a run of values of one predefined type, or
/// another layout.
struct LayoutNode {
  std::ptrdiff_t offset_bytes = 0;
  std::size_t repeats = 1;
  std::ptrdiff_t stride_bytes = 0;
  std::size_t values = 0;  ///< of a run
  Builtin basic = Builtin::none;
  std::uint32_t value_bytes = 0;
  LayoutPointer inner;  ///< null: it is a run

  [[nodiscard]] std::size_t run_bytes() const { return values * value_bytes; }
};

struct Layout {
  std::vector<LayoutNode> nodes;  ///< in the order in which they are sent
  std::size_t size_bytes = 0;     ///< of all values
  std::ptrdiff_t begin_bytes = 0;
  std::ptrdiff_t end_bytes = 0;  ///< of the memory that it touches, from its origin
  std::size_t alignment_bytes = 1;
  std::size_t runs = 0;
  ValueSequence sequence;

  /// Is it one run of values?
  [[nodiscard]] bool is_run() const {
    return nodes.size() == 1 && nodes.front().inner == nullptr && nodes.front().repeats == 1;
  }
};

/// Puts layouts together, in the order in which they are added.
class LayoutBuilder {
 public:
  void add_run(std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values);
  /// `repeats` times the layout, the first at `offset_bytes`.
  void add(const LayoutPointer& layout, std::ptrdiff_t offset_bytes, std::size_t repeats,
           std::ptrdiff_t stride_bytes);
  /// The layout; the builder is done.
  LayoutPointer build();

 private:
  void add_node(LayoutNode node);

  std::vector<LayoutNode> nodes_;
};

/// Calls `visit(offset_bytes, basic, values)` for every run of values, in order.
template <typename Visitor>
void for_each_run(const Layout& layout, std::ptrdiff_t origin_bytes, Visitor&& visit) {
  for (const LayoutNode& node : layout.nodes) {
    std::ptrdiff_t place = origin_bytes + node.offset_bytes;
    for (std::size_t repeat = 0; repeat < node.repeats; ++repeat, place += node.stride_bytes) {
      if (node.inner == nullptr)
        visit(place, node.basic, node.values);
      else
        for_each_run(*node.inner, place, visit);
    }
  }
}

/// Copies between memory that is laid out so and packed values; both give the end of the latter.
std::byte* pack_layout(const Layout& layout, const std::byte* memory, std::byte* packed);
const std::byte* unpack_layout(const Layout& layout, std::byte* memory, const std::byte* packed);
/// Only as many bytes as there are left, which it counts down.
void unpack_prefix(const Layout& layout, std::byte* memory, const std::byte*& packed,
                   std::size_t& left_bytes);

/// The values in the first bytes of it.
ValueSequence prefix_sequence(const Layout& layout, std::size_t& left_bytes);

}  // namespace orrery::mpi
