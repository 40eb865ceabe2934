// Type maps: how data of an MPI type lies in memory (MPI 3.1, chapter 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attributes.hpp"
#include "builtins.hpp"
#include "handles.hpp"

namespace orrery::mpi {

/// `count` values of one predefined type, one after the other.
struct Block {
  std::ptrdiff_t offset_bytes = 0;
  Builtin basic = Builtin::none;
  std::size_t count = 0;
};

/// What is compared when two sides must use the same type signature (section 4.1): the sequence of
/// basic types, without where they lie.
struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t size_bytes = 0;
  bool operator==(const Signature&) const = default;
};

}  // namespace orrery::mpi

struct ompi_datatype_t {
  orrery::mpi::HandleHeader header;
  const char* name = "a derived type";
  std::vector<orrery::mpi::Block> blocks;  ///< in the order in which they are sent
  std::size_t size_bytes = 0;
  std::ptrdiff_t lower_bound = 0;
  std::ptrdiff_t upper_bound = 0;
  std::ptrdiff_t true_lower_bound = 0;
  std::ptrdiff_t true_upper_bound = 0;
  bool committed = false;
  bool freed = false;                     ///< by the program; requests may still use it
  mutable std::uint32_t references = 0;   ///< of requests under way
  orrery::mpi::AttributeList attributes;  ///< see `copy_attributes` and `delete_attributes`

  [[nodiscard]] std::ptrdiff_t extent_bytes() const { return upper_bound - lower_bound; }
  /// Are `n` elements one run of bytes that starts at the buffer?
  [[nodiscard]] bool is_contiguous() const;
  /// The predefined type behind it, or `none` for a derived one.
  [[nodiscard]] orrery::mpi::Builtin builtin() const;
};

namespace orrery::mpi {

using Datatype = ompi_datatype_t;

const Datatype& builtin_type(Builtin type);

/// One part of a derived type: `count` elements of `type` at `offset_bytes`.
struct Part {
  const Datatype* type = nullptr;
  std::size_t count = 0;
  std::ptrdiff_t offset_bytes = 0;
};

/// Makes `target` the type of these parts, its bounds those that the parts give.
void assemble(Datatype& target, std::span<const Part> parts);

/// The memory that `count` elements touch, relative to the buffer's address.
struct Footprint {
  std::ptrdiff_t begin_bytes = 0;
  std::ptrdiff_t end_bytes = 0;
};
Footprint footprint(const Datatype& type, std::size_t count);

/// The strictest alignment of the basic types in it.
std::ptrdiff_t alignment_bytes(const Datatype& type);

/// Of `count` elements, or of as many values as fit `size_bytes_max`; a value that only begins to
/// fit gives a signature like no other's.
Signature signature(const Datatype& type, std::size_t count, std::size_t size_bytes_max = SIZE_MAX);

/// Is it made of MPI_PACKED alone, which fits any type (section 3.3.1)?
[[nodiscard]] bool is_packed(const Datatype& type);

/// Copies `count` elements from a program's buffer to `packed`, which has room for them.
void pack(const Datatype& type, std::size_t count, const void* buffer, std::byte* packed);

/// Copies `size_bytes` of packed data, at most `count` elements, into a program's buffer.
void unpack(const Datatype& type, std::size_t count, void* buffer, const std::byte* packed,
            std::size_t size_bytes);

}  // namespace orrery::mpi
