// Times, medians, and runs that are timed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/explorers/strategies.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::bench {

/// Processor time of this process and of its children that have ended: what a run costs a core,
/// whoever else uses the machine.
[[nodiscard]] double cpu_seconds();
[[nodiscard]] double wall_seconds();
[[nodiscard]] double median(std::vector<double> values);

/// Starts this program anew with one argument, so that nothing else is counted, and reads so many
/// numbers that it prints.
[[nodiscard]] std::vector<double> ask_own_program(const char* argument, std::size_t count);

/// Options for benchmarks: any order, and limits that nobody meets.
[[nodiscard]] SimulationOptions boundless(VirtualDuration window = any_order);

/// A program whose threads wait until all have started; then each stores to a variable of its own.
[[nodiscard]] Program storing_threads(std::uint32_t threads, std::uint32_t stores_each);

/// What some runs took.
struct RunCosts {
  double seconds = 0;
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t questions = 0;
  std::uint64_t preemptions = 0;
  [[nodiscard]] double ns_per_step() const { return seconds * 1e9 / static_cast<double>(steps); }
  [[nodiscard]] double runs_per_second() const { return static_cast<double>(runs) / seconds; }
  [[nodiscard]] double steps_per_second() const { return static_cast<double>(steps) / seconds; }
};

/// A simulation with a chooser of a named strategy, for runs that are timed: what a search does,
/// without the search.
class TimedRuns {
 public:
  TimedRuns(const SimulationOptions& options, std::string_view strategy);
  TimedRuns(const SimulationOptions& options, std::unique_ptr<Chooser> chooser);
  /// Does so many more runs, each with the next index.
  RunCosts run(const Program& program, std::uint64_t runs,
               std::span<Observer* const> observers = {});

 private:
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Chooser> chooser_;
  Simulation simulation_;
  std::uint64_t next_index_ = 0;
};

/// The two programs whose rate of exploration is a target.
[[nodiscard]] Program three_threads_with_four_locks();
[[nodiscard]] Program three_processes_with_ten_messages();

}  // namespace orrery::bench
