// Data types of programs (MPI 3.1, chapter 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "communicators/attributes.hpp"
#include "handles/handles.hpp"
#include "layout.hpp"

namespace orrery::mpi {

struct TypeRecipe;

/// What a type is, apart from its handle.  Value type; what is big in it is shared.
struct TypeShape {
  LayoutPointer layout;
  std::size_t size_bytes = 0;  ///< of the values
  std::ptrdiff_t lower_bound = 0;
  std::ptrdiff_t upper_bound = 0;
  std::ptrdiff_t true_lower_bound = 0;
  std::ptrdiff_t true_upper_bound = 0;
  bool has_markers = false;  ///< bounds that somebody has set: types made of it keep them (4.1.7)
  bool contiguous = true;    ///< `n` elements are one run of bytes that starts at the buffer
  Builtin predefined = Builtin::none;        ///< which one it is, or behaves as (section 17.2.5)
  std::shared_ptr<const TypeRecipe> recipe;  ///< null: named

  [[nodiscard]] std::ptrdiff_t extent_bytes() const { return upper_bound - lower_bound; }
};

/// How a type was made (section 4.1.13).
struct TypeRecipe {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<TypeShape> types;
};

/// What is known of whether elements of a type lie over each other.
struct OverlapMemory {
  std::size_t apart_up_to = 0;              ///< so many elements do not
  std::size_t overlapping_from = SIZE_MAX;  ///< so many do
};

}  // namespace orrery::mpi

struct ompi_datatype_t : orrery::mpi::Handled, orrery::mpi::TypeShape {
  const char* name = "a derived type";  ///< for messages: a constant of the library
  bool committed = false;
  bool freed = false;                             ///< by the program; requests may still use it
  mutable std::uint32_t references = 1;           ///< the handle, and requests under way
  mutable orrery::mpi::AttributeList attributes;  ///< see `copy_attributes` and `delete_attributes`
  mutable orrery::mpi::OverlapMemory overlap;

  [[nodiscard]] bool is_contiguous() const { return contiguous; }
  /// The predefined type behind it, or `none` for a derived one.
  [[nodiscard]] orrery::mpi::Builtin builtin() const { return predefined; }
};

namespace orrery::mpi {

using Datatype = ompi_datatype_t;

const Datatype& builtin_type(Builtin type);

/// As an object with attributes, which predefined types have too.
AttributeHolder holder_of(RankState& state, MPI_Datatype handle, const Datatype& type);

/// Puts types together to a new one: section 4.1.6 says what its bounds are.
class ShapeBuilder {
 public:
  /// `count` elements of the type, one after the other, the first at `offset_bytes`.
  void add(const TypeShape& type, std::size_t count, std::ptrdiff_t offset_bytes) {
    add_strided(type, count, offset_bytes, type.extent_bytes());
  }
  /// The same, `stride_bytes` apart.
  void add_strided(const TypeShape& type, std::size_t count, std::ptrdiff_t offset_bytes,
                   std::ptrdiff_t stride_bytes);
  TypeShape build();

 private:
  struct Bounds {
    std::ptrdiff_t lower = PTRDIFF_MAX;
    std::ptrdiff_t upper = PTRDIFF_MIN;
    bool is_set = false;
    void include(std::ptrdiff_t offset_bytes, const TypeShape& type);
  };
  LayoutBuilder layout_;
  Bounds natural_;
  Bounds marked_;
};

/// `count` elements of the type, `stride_bytes` apart.
TypeShape strided(const TypeShape& type, std::size_t count, std::ptrdiff_t stride_bytes);
/// The same type with other bounds (section 4.1.7).
TypeShape resized(TypeShape type, std::ptrdiff_t lower_bound, std::ptrdiff_t extent_bytes);

/// The memory that `count` elements touch, relative to the buffer's address.
struct Footprint {
  std::ptrdiff_t begin_bytes = 0;
  std::ptrdiff_t end_bytes = 0;
};
Footprint footprint(const Datatype& type, std::size_t count);

/// Do values of `count` elements share memory?  Nobody may receive into such a type (4.1.11).
[[nodiscard]] bool overlaps(const Datatype& type, std::size_t count);

/// Of `count` elements, or of as many values as fit `size_bytes_max`; a value that only begins to
/// fit gives a signature like no other's.
Signature signature(const Datatype& type, std::size_t count, std::size_t size_bytes_max = SIZE_MAX);

/// How many values of basic types the first bytes of elements hold, or nothing if the last of them
/// is not whole (section 4.1.11).
struct ValueCount {
  std::uint64_t values = 0;
  bool is_whole = true;
};
ValueCount count_values(const Datatype& type, std::size_t size_bytes);

/// Is it made of MPI_PACKED alone, which fits any type (section 3.3.1)?
[[nodiscard]] bool is_packed(const Datatype& type);

/// Calls `visit(offset_bytes, basic, values)` for every run of values of `count` elements, in the
/// order of the type map.
template <typename Visitor>
void for_each_run(const Datatype& type, std::size_t count, Visitor&& visit) {
  std::ptrdiff_t place = 0;
  for (std::size_t element = 0; element < count; ++element, place += type.extent_bytes())
    for_each_run(*type.layout, place, visit);
}

/// Copies `count` elements from a program's buffer to `packed`, which has room for them.
void pack(const Datatype& type, std::size_t count, const void* buffer, std::byte* packed);

/// Copies `size_bytes` of packed data, at most `count` elements, into a program's buffer.
void unpack(const Datatype& type, std::size_t count, void* buffer, const std::byte* packed,
            std::size_t size_bytes);

/// Where the packed form of `count` elements lies already, since they are one run of bytes; else
/// null.
const void* find_packed(const Datatype& type, std::size_t count, const void* buffer);

}  // namespace orrery::mpi
