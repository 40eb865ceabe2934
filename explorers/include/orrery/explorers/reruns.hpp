// Further runs of a program that a detector has watched, in processes of their own.
#pragma once

#include <cstdint>
#include <optional>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

class CrashReporter;

/// Forks for each `run`, so that a program which dies takes nothing with it.  Runs in another order
/// may take ten times as long as the run that was watched takes again, and five seconds more, but
/// not longer than its own limit on real time.
///
///     orrery::IsolatedReruns reruns(options, program);
///     detector->examine(reruns);
class IsolatedReruns final : public Reruns {
 public:
  /// `machine` is that of the run that was watched, seed and index included; `program` must
  /// outlive this.  `isolate`: false for debuggers, everything then happens in this process.
  /// `last_step`: where the run that was watched ended before its time.
  IsolatedReruns(const SimulationOptions& machine, const Program& program, bool isolate = true,
                 std::optional<std::uint64_t> last_step = std::nullopt);
  Result run(const Body& body) override;

 private:
  /// `reporter`: of the process in which they are; null: nobody watches over them.
  void do_runs(const Body& body, const Tell& tell, CrashReporter* reporter) const;

  SimulationOptions machine_;
  const Program& program_;
  bool isolate_;
  std::uint64_t last_step_;
};

}  // namespace orrery
