#include "simulated_app.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "../src/temporary_directory.hpp"

namespace orrery::bench {

SimulatedApp::SimulatedApp(const App& app, const std::string& directory)
    : app_(app), directory_(directory) {
  if (app.is_own) {
    run_command(fmt::format("'{0}' cc -O2 '{1}/{2}.c' -o '{3}/{2}'", ORRERY_BINARY,
                            ORRERY_OWN_PROGRAMS, app.name, directory));
    return;
  }
  run_command(fmt::format("CC='{0} cc' CXX='{0} c++' '{1}/mpi/build.sh' {2} '{3}/{2}'",
                          ORRERY_BINARY, ORRERY_PROGRAMS, app.name, directory));
}

std::string SimulatedApp::log() const {
  return fmt::format("{}/{}.orr", directory_, app_.name);
}

int SimulatedApp::rounds_for(double virtual_seconds) const {
  const auto seconds_of = [this](int rounds) {
    return Json::parse(output_of(run(rounds, ""))).at("virtual_time_ns").get<double>() * 1e-9;
  };
  // Beginning and ending take a time of their own.
  const double fewer = seconds_of(app_.probed_rounds);
  const double one_round = (seconds_of(2 * app_.probed_rounds) - fewer) / app_.probed_rounds;
  const double others = fewer - app_.probed_rounds * one_round;
  return std::max(1, static_cast<int>(std::lround((virtual_seconds - others) / one_round)));
}

Json SimulatedApp::record(int rounds, const std::string& flags) const {
  run_command(fmt::format("rm -rf '{0}' '{0}.images'", log()));
  return Json::parse(output_of(run(rounds, fmt::format("--stats --record '{}' {}", log(), flags))));
}

Json SimulatedApp::replay(const std::string& flags) const {
  return Json::parse(
      output_of(fmt::format("'{}' replay --json {} '{}'", ORRERY_BINARY, flags, log())));
}

std::string SimulatedApp::run(int rounds, const std::string& flags) const {
  return fmt::format(
      "'{}' run --json {} --platform {} --step-limit {} --virtual-limit inf --wall-limit inf -n {} "
      "'{}/{}' {}",
      ORRERY_BINARY, flags, app_platform, INT64_MAX, app_ranks, directory_, app_.name,
      fmt::format(fmt::runtime(app_.arguments), rounds));
}

}  // namespace orrery::bench
