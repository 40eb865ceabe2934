#include "mpi_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <orrery/network_model/usage_error.hpp>

#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 1> c_names{"mpicc"};
constexpr std::array<std::string_view, 3> cplusplus_names{"mpicxx", "mpic++", "mpiCC"};
constexpr std::array<std::string_view, 3> fortran_names{"mpif77", "mpif90", "mpifort"};
constexpr std::array<std::string_view, 2> launcher_names{"mpirun", "mpiexec"};

}  // namespace

std::filesystem::path mpi_names_directory() {
  const std::filesystem::path command = own_path();
  return command.parent_path().parent_path() / "lib" / "orrery" / "bin";
}

std::optional<int> run_as_mpi_name(const std::string& started_as,
                                   const std::vector<std::string>& words) {
  const std::string name = std::filesystem::path(started_as).filename().string();
  if (is_one_of(c_names, name)) return run_mpi_compiler(Language::c, name, words);
  if (is_one_of(cplusplus_names, name)) return run_mpi_compiler(Language::cplusplus, name, words);
  if (is_one_of(launcher_names, name)) return run_mpi_launcher(name, words);
  if (is_one_of(fortran_names, name)) {
    throw UsageError("Fortran programs cannot be built for Orrery: its MPI has the C binding only",
                     name, "configure without Fortran, or build this part with another MPI's");
  }
  return std::nullopt;
}

}  // namespace orrery::cli
