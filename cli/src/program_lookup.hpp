// PROGRAM: a built-in scenario, or a file that `orrery cc` made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <orrery/program_host/program_image.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/program_info.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/simulation.hpp>

#include "machine_flags.hpp"

namespace orrery::cli {

/// A program that is ready to run.  The program owns what it needs.
struct FoundProgram {
  Program program;
  ProgramInfo info;                     ///< what logs say of it
  SimulationOptions machine;            ///< recommended for a search, before any flag
  std::string directory;                ///< where its sources may be; empty: not known
  std::string search_name;              ///< names reports and log files
  std::shared_ptr<ProgramImage> image;  ///< of a file; null for scenarios
  std::string remark;                   ///< on how it is run, to be printed; may be empty
};

/// `operands` are PROGRAM and its arguments.  Throws `UsageError`, suggesting the nearest scenario
/// for what is neither, and saying what is wrong with a file.
/// `detector`, if there is one, will watch the runs.
[[nodiscard]] FoundProgram find_program(const std::vector<std::string>& operands,
                                        const MachineFlags& flags, const Detector* detector);

/// The program that a log is of.  `path`, where not empty, is used instead of the log's own, which
/// counts only on the machine that made the log.  The build ids must be equal unless `any_build`.
/// The settings of the machine are those of the log.
[[nodiscard]] FoundProgram find_program_of(const SavedRun& saved, const std::string& log_path,
                                           const std::string& path, bool any_build,
                                           const MachineFlags& flags, const Detector* detector);

/// This command's own file.
[[nodiscard]] std::string own_path();

}  // namespace orrery::cli
