// A run as a person wants to see it.
#pragma once

#include <cstdint>
#include <string>

#include "explorer.hpp"

namespace orrery::detail {

struct RunDescription {
  bool has_finding = false;
  std::uint64_t steps = 0;
  std::string timeline;
};

/// Makes the best run of `found` once more and fills in its timeline and, where they are missing,
/// finding, output and costs.
RunDescription describe_run(const ExploreOptions& options, const Program& program,
                            const SimulationOptions& machine, FoundRun& found);

}  // namespace orrery::detail
