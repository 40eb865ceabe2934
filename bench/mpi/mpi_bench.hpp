// What simulating MPI programs costs, beside SimGrid's SMPI, and what it finds in wrong ones.
#pragma once

#include <string>

namespace orrery::bench {

/// What the tables are measured with.
struct MpiBenchOptions {
  int rounds = 3;         ///< how often each pair of commands is run, one after the other
  bool is_quick = false;  ///< smaller sizes: to see that all of it works
  std::string only;       ///< rows whose title has this in it; empty: all
};

/// The mini-apps of scenarios/programs/mpi beside SMPI; rates of messages; starts, memory,
/// searches.
void print_mpi_costs(const MpiBenchOptions& options);

/// The programs of scenarios/programs/mpi_usage: class x {programs, found, in its class, twins
/// flagged}.  `only`: a class.  `is_verbose`: what was found in those that are not as they should
/// be. Returns whether all are.
bool print_mpi_usage(const std::string& only, bool is_verbose);

}  // namespace orrery::bench
