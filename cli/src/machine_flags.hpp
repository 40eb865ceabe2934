// MACHINE: the flags that set up the simulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <orrery/network_model/networks.hpp>
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

/// The network that a flag or a log names, if it names one.
class WantedNetwork {
 public:
  explicit WantedNetwork(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// A platform file is read from now on, by a process of its own: not before this one can no
  /// longer become another program.
  void begin();
  /// For `ranks` processes (0: not known); none if no network was named.  Throws `UsageError` for
  /// names that do not exist and platform files that cannot be read.
  [[nodiscard]] NetworkFactory factory(std::uint32_t ranks);

 private:
  std::string text_;
  std::optional<NetworkRequest> request_;
};

}  // namespace orrery::cli
