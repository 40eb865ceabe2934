// `orrery run --step`: a run under the hand of a person.
#pragma once

#include <memory>

#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::cli {

/// Reads commands from standard input (`step [N]`, `until DURATION`, `continue`, `where`, `quit`)
/// and moves the clock of a run; says on standard error what the clock shows, what was done, and
/// who is about to do what.  An empty line repeats the last command.
class Stepper {
 public:
  /// `chooser` makes the choices; it must outlive the stepper.
  explicit Stepper(Chooser& chooser);
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Hands every question on.
  [[nodiscard]] Chooser& chooser();
  [[nodiscard]] Observer& observer();
  /// True: the run has ended or is to go on to its end; false: leave it.
  bool drive(Simulation& simulation);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace orrery::cli
