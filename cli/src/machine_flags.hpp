// MACHINE: the flags that set up the simulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <orrery/sim_runtime/simulation.hpp>

#include "flags.hpp"

namespace orrery::cli {

/// What was given; what was not stays as the program or the log has it.
struct MachineFlags {
  std::optional<std::uint64_t> ranks;
  std::optional<std::string> platform;
  std::optional<std::string> map;
  std::optional<std::string> host_file;
  std::optional<std::string> computing;
  std::optional<std::string> preemption;
  std::optional<std::string> mpi_checks;
  std::optional<std::uint64_t> seed;
  std::optional<VirtualDuration> window;
  std::optional<std::uint64_t> step_limit;
  std::optional<VirtualDuration> virtual_limit;
  std::optional<VirtualDuration> wall_limit;
  std::optional<std::uint64_t> stack_bytes;
  std::optional<std::uint64_t> eager_threshold_bytes;
  std::optional<std::uint64_t> memory_limit_bytes;
  bool spurious_wakeups = false;
  bool takes_foreign_programs = false;  ///< those that were not built for Orrery too
  std::optional<std::string> expected_output_path;

  void declare(Flags& flags);
  /// Sets everything but the network, which must be there already: hosts may be given by name.
  /// `ranks`: how many there will be; 0: not known.
  void apply_to(SimulationOptions& options, std::uint32_t ranks) const;

 private:
  void place(SimulationOptions& options, std::uint32_t ranks) const;
};

/// The network that `text` names, for `ranks` processes (0: not known).  Checked at once: throws
/// `UsageError` for names that do not exist and platform files that cannot be read.
[[nodiscard]] NetworkFactory network_of(const std::string& text, std::uint32_t ranks);

}  // namespace orrery::cli
