// Programs with known verdicts: each with a bug, and with the bug mended.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::scenarios {

/// What must be found in a buggy program.
struct ExpectedFinding {
  FindingKind kind = FindingKind::assertion;
  std::string_view file;   ///< from the root of the source tree: `scenarios/NAME/scenario.cpp`
  std::uint32_t line = 0;  ///< of the line marked `// BUG`, which the finding names
  /// How often a task must be interrupted while it could go on.  The smallest run that fails has
  /// no more preemptions than that.
  std::uint32_t preemptions = 0;
};

/// A program with a bug, and its twin without.  Both are so small that an exhaustive search of
/// each, without a bound on preemptions, ends within 400,000 runs.
struct Scenario {
  std::string_view name;     ///< as on the command line
  std::string_view summary;  ///< one line, for `orrery list scenarios`
  Program program;           ///< the one with the bug
  Program mended;            ///< the twin
  ExpectedFinding expected;
  /// Recommended for a search.  A timed run (`orrery run`) sets the window to 0 instead.
  SimulationOptions options;
};

/// All scenarios, in the order in which they are listed.  The table never changes.
[[nodiscard]] std::span<const Scenario> scenario_table();

/// A program of the table, by the name that the command line knows it by.
struct NamedProgram {
  std::string name;  ///< `lost_update`, or `lost_update:mended` for the twin
  const Scenario* scenario = nullptr;
  bool is_mended = false;
  [[nodiscard]] const Program& program() const {
    return is_mended ? scenario->mended : scenario->program;
  }
};

/// Every name: each scenario's own, and with `:mended` after it.
[[nodiscard]] std::vector<std::string> program_names();

/// The program of that name; nothing if there is none (it may be the path of a file).
[[nodiscard]] std::optional<NamedProgram> find_program(std::string_view name);

/// As `find_program`.  Throws `UsageError` for an unknown name, suggesting the nearest; `where` is
/// the flag or argument at fault.  Thread-safe, as all functions here.
///
///     const auto twin = orrery::scenarios::program("lost_update:mended");
///     orrery::Simulation simulation(twin.scenario->options);
///     simulation.run(twin.program(), chooser);
[[nodiscard]] NamedProgram program(std::string_view name, std::string_view where = {});

/// Is it the finding that the buggy program must give: of that kind, and naming that line?
[[nodiscard]] bool is_expected(const Scenario& scenario, const Finding& finding);

}  // namespace orrery::scenarios
