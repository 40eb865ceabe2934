#include <string>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/mpi_checks.hpp>

namespace orrery {

std::string_view text(MpiChecks checks) {
  return checks == MpiChecks::all ? "all" : "arguments";
}

MpiChecks parse_mpi_checks(std::string_view name, std::string_view where) {
  for (const MpiChecks one : {MpiChecks::all, MpiChecks::arguments}) {
    if (text(one) == name) return one;
  }
  throw UsageError("'" + std::string(name) + "' is not what can be checked of the use of MPI",
                   std::string(where), "use all or arguments");
}

}  // namespace orrery
