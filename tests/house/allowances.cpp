// Who may do what a rule forbids, and why.  One line each; what is not needed any more must go.
#include "house_rules.hpp"

namespace orrery::house {

const std::vector<Allowance>& allowances() {
  static const std::vector<Allowance> all{
      {"explorers/include/orrery/explorers/catch2.hpp", "foreign include",
       "only tests that have Catch2 include it"},
      {"explorers/src/progress.cpp", "wall clock", "runs a second and the time that is left"},
      {"sim_runtime/src/machine_run.cpp", "wall clock",
       "the wall-clock limit, which says that it was hit and decides nothing else"},
      {"sim_runtime/src/mailbox.cpp", "hash order",
       "empties every list between runs: the same in any order"},
      {"network_model/simgrid/platform_server.cpp", "hash order",
       "sorts SimGrid's properties, which it keeps unsorted"},
      {"sim_runtime/front_ends/host/include/orrery/program_host/elf_sections.hpp",
       "foreign include", "elf.h is the C library's own on every system that has hosted programs"},
  };
  return all;
}

}  // namespace orrery::house
