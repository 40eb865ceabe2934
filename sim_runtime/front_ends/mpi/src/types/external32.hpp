// The data representation "external32": the same bytes on every machine (MPI 3.1, section 13.5.2).
#pragma once

#include <cstddef>

#include "datatypes.hpp"

namespace orrery::mpi {

/// What `count` elements take in it.
std::size_t external_size_bytes(const Datatype& type, std::size_t count);

/// Converts `count` elements from a program's buffer; `external` has room for them.
void pack_external(const Datatype& type, std::size_t count, const void* buffer,
                   std::byte* external);
/// And back.
void unpack_external(const Datatype& type, std::size_t count, void* buffer,
                     const std::byte* external);

}  // namespace orrery::mpi
