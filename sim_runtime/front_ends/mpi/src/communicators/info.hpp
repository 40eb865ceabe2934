// Sets of hints (MPI 3.1, chapter 9).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "handles/handles.hpp"

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
struct Call;

/// The object behind a handle, MPI_INFO_ENV included; `argument` is its name in the standard.
int check_info(const Call& call, MPI_Info handle, const char* argument, const Info*& found);
/// The same where MPI_INFO_NULL stands for no hints: then nothing is found.
int check_info_or_null(const Call& call, MPI_Info handle, const char* argument, const Info*& found);
/// Sets or changes a pair.
void set_entry(InfoEntries& entries, const char* key, const char* value);
/// What MPI_INFO_ENV tells of the job (section 10.3.4).
void describe_environment(const Call& call, const int* argc, char*** argv);

}  // namespace orrery::mpi
