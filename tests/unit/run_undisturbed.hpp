// One run with the undisturbed answer to every question.
#pragma once

#include <utility>

#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::test {

inline Outcome run_undisturbed(const Program& program, SimulationOptions options = {}) {
  UndisturbedChooser chooser;
  Simulation simulation(std::move(options));
  return simulation.run(program, chooser);
}

}  // namespace orrery::test
