// What decides a run besides the program and the choices, and what it came to, as logs keep them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// The options of the machine on which a run was made: the content of a log's block `run`.
struct RunSettings {
  std::uint64_t seed = 0;
  std::uint64_t run_index = 0;
  VirtualDuration window;
  std::uint64_t step_limit = 0;
  VirtualDuration virtual_limit;
  std::uint64_t stack_bytes = 0;
  std::uint64_t eager_threshold_bytes = 0;
  bool spurious_wakeups = false;
  std::uint64_t memory_limit_bytes = 0;
  ComputingTime computing;
  Preemption preemption = Preemption::sync;
  MpiChecks mpi_checks = MpiChecks::all;
  Placement placement;                         ///< counts on the network of the log only
  FaultPlan faults;                            ///< which might strike
  std::optional<std::string> expected_output;  ///< on standard output
  std::string strategy;  ///< what chose, `NAME[:key=value,...]`: for people only

  friend bool operator==(const RunSettings&, const RunSettings&) = default;

  /// Taken from a simulation's options.
  static RunSettings of(const SimulationOptions& options, std::string strategy = {});
  /// Puts everything but the strategy into a simulation's options; the network and the wall-clock
  /// limit, which no run depends on, stay.
  void apply_to(SimulationOptions& options) const;
};

/// The content of a block `run`, and back.  `where` names the source in errors; throws
/// `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_settings(const RunSettings& settings);
[[nodiscard]] RunSettings decode_settings(std::span<const std::byte> bytes,
                                          std::string_view where = "run");

/// The content of a block `findings`, and back.  Function names are left out: compilers do not
/// agree on them, and logs of the same run are the same bytes.
[[nodiscard]] std::vector<std::byte> encode_findings(std::span<const Finding> findings);
[[nodiscard]] std::vector<Finding> decode_findings(std::span<const std::byte> bytes,
                                                   std::string_view where = "findings");

}  // namespace orrery
