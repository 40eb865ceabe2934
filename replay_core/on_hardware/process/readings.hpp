// What a rank reads off clocks, and draws from the system's sources of chance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <orrery/replay_core/rank_spool.hpp>

#include "date_steps.hpp"
#include "spool_writer.hpp"

namespace orrery::on_hardware {

/// Of one thread.  Until its file is there (of a rank: before MPI begins) they are in memory.
class Readings {
 public:
  /// The process begins: its clocks are counted from now.
  void begin();
  /// A thread begins, of a process whose clocks were counted from there.
  void begin(const ClockOrigins& origins) { origins_ = origins; }
  [[nodiscard]] const ClockOrigins& origins() const { return origins_; }
  /// From here on in the file.
  void move_to(SpoolWriter& spool);

  /// Shows a date that a clock has, and keeps it.
  std::int64_t show(ClockKind clock, std::int64_t date_ns) {
    const auto index = static_cast<std::size_t>(clock);
    rank_spool::ClockRun& run = runs_[index];
    const std::int64_t origin = origins_.of(clock);
    const std::int64_t shown = steps_[index].show(date_ns - origin, run);
    const std::int64_t step = shown - run.date_ns;
    if (__builtin_expect(step != run.step_ns || run.count == 0, 0) && !begin_run(index, step)) {
      return shown + origin;
    }
    run.date_ns = shown;
    ++run.count;
    return shown + origin;
  }
  void drew(std::uint64_t value);
  /// As many draws as it takes for these bytes.
  void drew(const void* bytes, std::size_t size);

 private:
  using Runs = rank_spool::ClockRun[clock_kinds];
  struct Step {
    std::size_t clock;  // 0: a draw
    std::int64_t step_ns;
    std::uint64_t count;  // of a draw: its value
  };
  /// False: nothing more can be written.
  bool begin_run(std::size_t clock, std::int64_t step_ns);
  void write(const Step& step, rank_spool::ClockRun* run);

  Runs first_runs_{};
  rank_spool::ClockRun* runs_ = first_runs_;  // or those in the header of the file
  ClockOrigins origins_;
  std::array<DateSteps, clock_kinds> steps_;
  std::vector<Step> in_memory_;
  SpoolWriter* spool_ = nullptr;
};

/// Of this thread, where each one's are kept; else of the process.
extern thread_local Readings* readings_of_thread __attribute__((tls_model("initial-exec")));
Readings& readings();

}  // namespace orrery::on_hardware
