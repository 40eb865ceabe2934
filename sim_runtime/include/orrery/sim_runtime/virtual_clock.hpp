// The one clock of a run, as seen and driven from outside the run.
#pragma once

#include <cstdint>
#include <functional>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

namespace detail {
class Machine;
}

/// Virtual time under control: stopped between two steps of the run, and moved by the caller.
/// Obtained from `Simulation::clock()`; not thread-safe.
///
///     simulation.start(program, chooser);
///     simulation.clock().run_until(5ms);           // everything up to and at 5 ms has happened
///     REQUIRE(simulation.clock().now() <= VirtualTime::start() + 5ms);
class VirtualClock {
 public:
  explicit VirtualClock(detail::Machine& machine) : machine_(&machine) {}

  [[nodiscard]] VirtualTime now() const;
  /// Steps taken so far.
  [[nodiscard]] std::uint64_t steps() const;
  /// Has the run ended?
  [[nodiscard]] bool ended() const;

  /// Takes the next step, whatever it is.  Returns false if the run has ended.
  bool step();
  /// Runs until the next step would lie after `date`.  Returns false if the run ended before.
  bool run_until(VirtualTime date);
  bool run_until(VirtualDuration since_start) {
    return run_until(VirtualTime::start() + since_start);
  }
  /// Runs until `condition` holds; it is asked before each step.  Returns false if the run ended
  /// before.
  bool run_until(const std::function<bool()>& condition);
  /// Asks a run to stop before its next step; for conditions and sinks that run inside it.
  void pause();

 private:
  detail::Machine* machine_;
};

}  // namespace orrery
