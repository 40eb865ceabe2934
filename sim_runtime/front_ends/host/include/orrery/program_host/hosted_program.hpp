// An unchanged program as a program of the simulated machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <orrery/program_host/program_image.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// Each call is a new run of all ranks of the image: processes `rank 0` .. that call `main`.  An
/// exit status other than 0 is a finding of kind `exit`.  `arguments` are those after the
/// program's name.  The stacks are the machine's: set `stack_bytes` to `hosted_stack_bytes`.
///
///     auto image = std::make_shared<orrery::ProgramImage>("./app", 4, options);
///     orrery::Simulation simulation(simulation_options);
///     auto outcome = simulation.run(orrery::hosted_program(image, {"input.txt"}), chooser);
[[nodiscard]] Program hosted_program(std::shared_ptr<ProgramImage> image,
                                     std::vector<std::string> arguments);

}  // namespace orrery
