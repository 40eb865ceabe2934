// The method `choices`.
#pragma once

#include <memory>

#include "recorders.hpp"

namespace orrery::detail {

/// Keeps every step and every answer: replays in simulation, on any network.
[[nodiscard]] std::unique_ptr<Recorder> make_choices_recorder();

}  // namespace orrery::detail
