// Which buffers of a program share memory, and which only lie between each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ranks/flat_table.hpp"
#include "types/datatypes.hpp"

namespace orrery::mpi {

/// How the bytes of a buffer lie, wherever it begins: a number for each layout, extent and count.
using BufferShape = std::uint32_t;

/// Two shapes at a distance, and whether such buffers share memory: programs exchange the same
/// parts of the same arrays again and again.
class KnownPairs {
 public:
  /// Never 0.
  BufferShape shape_of(const Datatype& type, std::size_t count);
  /// Null if it is not known.  `distance_bytes`: from where the first one begins to where the
  /// second one does.
  [[nodiscard]] const bool* find(BufferShape first, BufferShape second,
                                 std::uintptr_t distance_bytes) const {
    return pairs_.find({std::uint64_t{first} << 32U | second, distance_bytes});
  }
  /// `find` did not know it.
  void insert(BufferShape first, BufferShape second, std::uintptr_t distance_bytes, bool shares);

 private:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29U;
  }
  struct Pair {
    std::uint64_t shapes = 0;
    std::uintptr_t distance_bytes = 0;
    [[nodiscard]] std::uint64_t hash() const {
      return (mixed(shapes, 0) ^ distance_bytes) * 0xbf58476d1ce4e5b9U;
    }
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Shape {
    const Layout* layout = nullptr;
    std::ptrdiff_t extent_bytes = 0;
    std::size_t count = 0;
    [[nodiscard]] std::uint64_t hash() const {
      const std::uint64_t hash = mixed(reinterpret_cast<std::uintptr_t>(layout), count);
      return mixed(hash, static_cast<std::uint64_t>(extent_bytes)) * 0x94d049bb133111ebU;
    }
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Numbered {
    BufferShape shape = 0;
    LayoutPointer layout;  ///< kept, so that no other one gets its address
  };

  FlatTable<Shape, Numbered> shapes_;
  FlatTable<Pair, bool> pairs_;
  BufferShape last_shape_ = 0;
};

}  // namespace orrery::mpi
