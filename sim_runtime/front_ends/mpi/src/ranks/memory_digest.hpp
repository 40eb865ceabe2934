// A short number for the content of a buffer, to see whether somebody has changed it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types/datatypes.hpp"

namespace orrery::mpi {

/// Of `count` elements at `buffer`.  All bytes of up to 32 KiB in one run, or of up to 256 runs,
/// count; of more, the beginning, the end and places at even distances between them, so that the
/// largest messages cost no more than that.
std::uint64_t digest(const Datatype& type, std::size_t count, const void* buffer);

}  // namespace orrery::mpi
