// Sets of hints (MPI 3.1, chapter 9).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "handles.hpp"

namespace orrery::mpi {
/// Pairs of a key and a value, in the order in which the keys were set first.
using InfoEntries = std::vector<std::pair<std::string, std::string>>;
}  // namespace orrery::mpi

struct ompi_info_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::InfoEntries entries;
};

namespace orrery::mpi {
using Info = ompi_info_t;
}
