// What simulating threads costs, beside real threads, ThreadSanitizer and Valgrind's tools.
#pragma once

#include <string>

namespace orrery::bench {

/// What the whole table is measured with.
struct ThreadBenchOptions {
  int rounds = 3;            ///< how often each command is run, in turns with the native one
  bool is_quick = false;     ///< smaller sizes: to see that all of it works
  bool has_valgrind = true;  ///< Helgrind and DRD, the slow ones, too (once each)
  std::string only;          ///< one program; empty: all
};

/// The programs of scenarios/programs/threads: slowdowns against native on one core, with each
/// compiler; geometric means beside their targets.
void print_kernel_costs(const ThreadBenchOptions& options);

/// lock + unlock, create + join, restart, runs a second, many threads.
void print_operation_costs(const ThreadBenchOptions& options);

}  // namespace orrery::bench
