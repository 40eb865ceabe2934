// Writes logs and timelines of every scenario and its twin into a directory, for compare_builds.sh.
//
// Their block `program` says nothing but the scenario's name, the same in all builds: so whole
// files can be compared, with all checksums.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/timeline.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/scenarios/scenarios.hpp>

using namespace orrery;

namespace {

constexpr std::string_view indexed_strategies[] = {"random", "pct:depth=3,steps=60", "pos",
                                                   "round_robin:stride=2"};
constexpr std::uint64_t seeds[] = {1, 0x9e3779b97f4a7c15};
constexpr std::uint64_t runs_each = 3;

/// One run of one program, and where its files go.
class RunWriter {
 public:
  RunWriter(std::filesystem::path directory, scenarios::NamedProgram program,
            const SimulationOptions& options)
      : directory_(std::move(directory)),
        program_(std::move(program)),
        options_(options),
        simulation_(options) {}

  void write(std::string_view strategy, std::uint64_t seed, std::uint64_t index, Chooser& chooser) {
    options_.seed = seed;
    options_.run_index = index;
    simulation_.set_run(seed, index);
    ScheduleRecorder recorder;
    Timeline timeline;
    Observer* const observers[] = {&recorder, &timeline};
    const Outcome outcome = simulation_.run(program_.program(), chooser, observers);

    SavedRun saved;
    saved.program.kind = ProgramInfo::Kind::scenario;
    saved.program.name = program_.name;
    saved.settings = RunSettings::of(options_, std::string(strategy));
    saved.findings = outcome.findings;
    saved.schedule = recorder.schedule();
    const std::string path = path_of(strategy, seed, index);
    save_run(path + ".orr", saved);
    write_text(path + ".timeline", timeline.text() + outcome.output);
  }

 private:
  std::string path_of(std::string_view strategy, std::uint64_t seed, std::uint64_t index) const {
    std::string name = fmt::format("{}-{}-seed{:x}-run{}", program_.name, strategy, seed, index);
    for (char& letter : name) {
      if (letter == ':' || letter == '=' || letter == ',') letter = '_';
    }
    return (directory_ / name).string();
  }

  static void write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw UsageError("cannot be written", path);
  }

  std::filesystem::path directory_;
  scenarios::NamedProgram program_;
  SimulationOptions options_;
  Simulation simulation_;
};

/// As a search makes them: any order, and each strategy's own runs.
void write_search_runs(const std::filesystem::path& directory,
                       const scenarios::NamedProgram& program) {
  RunWriter writer(directory, program, program.scenario->options);
  for (const std::string_view text : indexed_strategies) {
    const auto strategy = make_strategy(text);
    const auto chooser = strategy->chooser({});
    for (const std::uint64_t seed : seeds) {
      for (std::uint64_t index = 0; index < runs_each; ++index) {
        writer.write(text, seed, index, *chooser);
      }
    }
  }
}

/// As `orrery run` makes them: in the order of the dates, undisturbed.
void write_timed_run(const std::filesystem::path& directory,
                     const scenarios::NamedProgram& program) {
  SimulationOptions options = program.scenario->options;
  options.window = VirtualDuration::zero();
  UndisturbedChooser chooser;
  RunWriter(directory, program, options).write("undisturbed", seeds[0], 0, chooser);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 1) {
    std::fputs("usage: orrery_scenario_logs DIRECTORY\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path directory = arguments[0];
    std::filesystem::create_directories(directory);
    for (const std::string& name : scenarios::program_names()) {
      const scenarios::NamedProgram program = scenarios::program(name);
      write_search_runs(directory, program);
      write_timed_run(directory, program);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "orrery_scenario_logs: {}\n", error.what());
    return 2;
  }
  return 0;
}
