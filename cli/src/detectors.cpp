#include "detectors.hpp"

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {

void refuse_detector(const std::optional<std::string>& name) {
  if (!name) return;
  throw UsageError("there is no detector '" + *name + "'", "--detect",
                   "there is none yet: leave it out (orrery list detectors)");
}

}  // namespace orrery::cli
