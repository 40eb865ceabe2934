// The chooser that leaves a run alone.
#pragma once

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// Gives the undisturbed answer to every question (`ChoicePoint::default_index`), and the low end
/// of every draw.  What replays fall back on.
class UndisturbedChooser final : public Chooser {
 public:
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }
};

}  // namespace orrery
