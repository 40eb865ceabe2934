// Why one step has to come after another one, in words.
#pragma once

#include <string>
#include <vector>

#include <orrery/replay_core/bent_runs.hpp>

#include "bend_order.hpp"
#include "operation_places.hpp"

namespace orrery::detail {

/// Names each operation on the way with its line, from what is to wait to what is to come first.
[[nodiscard]] std::string path_text(const StepPath& path, const StepGraph& graph,
                                    const OperationPlaces& places, const std::vector<Bend>& bends);

}  // namespace orrery::detail
