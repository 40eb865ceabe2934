// What a log takes, in bytes and in time.
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/run_settings.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

/// Sums over random runs of all scenarios.
struct LogSizes {
  std::uint64_t questions = 0;
  std::uint64_t entries = 0;  // steps, asked or not, and other answers
  std::uint64_t record_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t questions_in_files = 0;
  double worst = 0;
  std::string worst_program;
};

std::uint64_t file_size(const scenarios::NamedProgram& named, const Schedule& schedule) {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("orrery_bench_{}.orr", static_cast<int>(getpid()));
  ProgramInfo program;
  program.name = named.name;
  LogWriter log(path.string(), program);
  log.append(BlockKind::run, encode_settings(RunSettings::of(named.scenario->options, "random")));
  log.append(BlockKind::choices, encode_schedule(schedule));
  log.finish();
  const auto size = std::filesystem::file_size(path);
  std::filesystem::remove(path);
  return size;
}

void measure(const scenarios::NamedProgram& named, LogSizes& all) {
  constexpr int runs_each = 50;
  TimedRuns runs(named.scenario->options, "random");
  ScheduleRecorder recorder;
  Observer* const observers[] = {&recorder};
  std::uint64_t questions = 0;
  std::uint64_t bytes = 0;
  for (int i = 0; i < runs_each; ++i) {
    const RunCosts costs = runs.run(named.program(), 1, observers);
    const Schedule schedule = recorder.schedule();
    questions += costs.questions;
    bytes += encode_schedule(schedule).size();
    all.entries += schedule.entries.size();
    if (i > 0) continue;
    all.file_bytes += file_size(named, schedule);
    all.questions_in_files += costs.questions;
  }
  all.questions += questions;
  all.record_bytes += bytes;
  if (questions == 0) return;
  const double per_question = static_cast<double>(bytes) / static_cast<double>(questions);
  if (per_question > all.worst) all.worst = per_question, all.worst_program = named.name;
}

LogSizes log_sizes() {
  LogSizes all;
  for (const std::string& name : scenarios::program_names()) {
    measure(scenarios::program(name), all);
  }
  return all;
}

Sample bytes_per_choice() {
  const LogSizes all = log_sizes();
  const auto bytes = static_cast<double>(all.record_bytes);
  return {bytes / static_cast<double>(all.questions), 0,
          fmt::format("{:.2f} a step; most: {:.2f} in {}", bytes / static_cast<double>(all.entries),
                      all.worst, all.worst_program)};
}

Sample file_bytes_per_choice() {
  const LogSizes all = log_sizes();
  return {static_cast<double>(all.file_bytes) / static_cast<double>(all.questions_in_files), 0,
          "one run a file, with program, settings and checksums"};
}

/// The twins without a bug: what a finding costs would hide what recording does.
Sample recording() {
  constexpr std::uint64_t steps_per_slice = 5'000;
  RunCosts bare_sum;
  RunCosts recorded_sum;
  for (const std::string& name : scenarios::program_names()) {
    const auto named = scenarios::program(name);
    if (!named.is_mended) continue;
    TimedRuns bare(named.scenario->options, "random");
    TimedRuns recorded(named.scenario->options, "random");
    ScheduleRecorder recorder;
    Observer* const observers[] = {&recorder};
    const RunCosts warm = bare.run(named.program(), 20);
    recorded.run(named.program(), 20, observers);
    const std::uint64_t runs = 1 + steps_per_slice * warm.runs / warm.steps;
    for (int i = 0; i < 3; ++i) {
      bare_sum.seconds += bare.run(named.program(), runs).seconds;
      recorded_sum.seconds += recorded.run(named.program(), runs, observers).seconds;
      bare_sum.runs += runs;
      recorded_sum.runs += runs;
    }
  }
  return {recorded_sum.runs_per_second(), bare_sum.runs_per_second(), {}};
}

}  // namespace

std::vector<BenchmarkRow> log_cost_rows() {
  return {
      {"log records a choice", "bytes", "", figure_at_most(2), 1, bytes_per_choice},
      {"whole log file a choice", "bytes", "", {}, 1, file_bytes_per_choice},
      {"recording, mended scenarios", "runs/s", "not recording", ratio_at_least(0.85), 31,
       recording},
  };
}

}  // namespace orrery::bench
