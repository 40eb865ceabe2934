// One run: a program, a network, a chooser, observers; gives an `Outcome`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/network_model.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/collective_counts.hpp>
#include <orrery/sim_runtime/computing_time.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/mpi_checks.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/placement.hpp>
#include <orrery/sim_runtime/preemption.hpp>
#include <orrery/sim_runtime/run_progress.hpp>
#include <orrery/sim_runtime/virtual_clock.hpp>

namespace orrery {

class Checkpointer;
class World;
namespace detail {
class Machine;
}

/// A program: called once a run, in the run's root task.  It creates processes, threads and
/// objects from the `World`, and must depend on nothing else that changes from run to run.
using Program = std::function<void(World&)>;

/// "Any order that causality allows", as a reorder window.
inline constexpr VirtualDuration any_order = VirtualDuration::max();

/// How a simulated machine is set up.  All fields have working defaults.
struct SimulationOptions {
  std::uint64_t seed = 0;       ///< of draws and of `World::bulk_random`
  std::uint64_t run_index = 0;  ///< which run of a search; part of every draw's key
  /// Events whose dates lie within the window of the earliest one compete.  Zero: the timed
  /// simulation, where only ties are open.  `any_order`: whatever causality allows.
  VirtualDuration window = VirtualDuration::zero();
  std::uint64_t step_limit = 1'000'000;
  VirtualDuration virtual_limit = std::chrono::hours(24);
  VirtualDuration wall_limit = std::chrono::seconds(60);
  /// Per task, committed when touched.  A task that needs more is a finding of kind `crash`.
  std::size_t stack_bytes = std::size_t{256} * 1024;
  /// Larger messages wait for their receive (rendezvous).  0: every send waits, so that programs
  /// that lean on buffering are caught.
  std::uint64_t eager_threshold_bytes = std::uint64_t{64} * 1024;
  bool spurious_wakeups = false;  ///< may a condition variable wake without a notification?
  FaultPlan faults;               ///< what may go wrong; whether it does is a choice
  NetworkFactory network;         ///< default: a `ConstantNetwork` with a host for each process
  std::uint64_t memory_limit_bytes = 0;  ///< of unchanged programs, all ranks together; 0: none
  ComputingTime computing;  ///< of unchanged programs: what they compute between operations
  Placement placement;      ///< of processes that name no host themselves
  Preemption preemption = Preemption::sync;  ///< of unchanged programs
  MpiChecks mpi_checks = MpiChecks::all;     ///< of unchanged programs
  /// What the program shall have written on its standard output when it ends; anything else is a
  /// finding of kind `property`.
  std::optional<std::string> expected_output;
  bool keeps_network_statistics = false;  ///< for `Simulation::network_statistics`; costs time
};

/// A simulated machine, for many runs one after the other: stacks and tables are kept.  Not
/// thread-safe; several may exist in one thread, but only one may be inside `run` at a time.
///
///     orrery::Simulation simulation(options);
///     orrery::Outcome outcome = simulation.run(program, chooser, observers);
class Simulation {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] const SimulationOptions& options() const;
  /// Changes seed and index of the next run; everything else stays.
  void set_run(std::uint64_t seed, std::uint64_t run_index);
  /// The same of the limits.
  void set_step_limit(std::uint64_t steps);
  void set_wall_limit(VirtualDuration real_time);

  /// Runs the program to its end.  Findings are in the outcome; throws only `UsageError`, and what
  /// a chooser or observer throws.
  Outcome run(const Program& program, Chooser& chooser, std::span<Observer* const> observers = {});

  /// The same, in pieces: `start`, then `clock().step()` or `clock().run_until(...)` as often as
  /// wanted, then `finish`, which runs to the end.  Chooser and observers must outlive the run.
  void start(Program program, Chooser& chooser, std::span<Observer* const> observers = {});
  [[nodiscard]] VirtualClock& clock();
  Outcome finish();
  /// While a run that was started stands still: its tasks, and what each of them is about to do.
  [[nodiscard]] const PendingOperations& pending() const;

  /// What the network did in the run that stands still or has ended last.  Empty unless
  /// `SimulationOptions::keeps_network_statistics` is set.
  [[nodiscard]] NetworkStatistics network_statistics() const;
  /// By which algorithms the collective operations of that run went.
  [[nodiscard]] const CollectiveCounts& collective_counts() const;

  /// The hosts of the ranks of that run, rank by rank.
  [[nodiscard]] std::vector<std::uint32_t> hosts_of_ranks() const;

  /// Called with every piece of text that the program writes, as it is written; `task` wrote it.
  /// Without it the text is only kept in `Outcome::output`.
  using OutputSink = std::function<void(TaskId task, int stream, std::string_view text)>;
  void set_output_sink(OutputSink sink);
  /// Where runs leave how far they have come, for who reads it after a crash.  It must outlive
  /// them; null, as in the beginning: nowhere.
  void set_progress(RunProgress* progress);
  /// Who is asked at the operations of ranks, and hears of messages, from now on; null, as in the
  /// beginning: nobody.
  void set_checkpointer(Checkpointer* checkpointer);

 private:
  void begin(const Program& program, Chooser& chooser, std::span<Observer* const> observers);

  Program program_;  // of a run that was started in pieces
  std::unique_ptr<detail::Machine> machine_;
  VirtualClock clock_;
};

}  // namespace orrery
